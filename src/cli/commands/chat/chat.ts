import { openLineHistory } from '../../../config/line-history.ts';
import { machineFor } from '../../../config/models/find-models.ts';
import { reportModels, type ModelReport } from '../../../config/models/report.ts';
import { ownTrustBook } from '../../../config/trust.ts';
import { AgentError, optional, type Skill } from '../../../core/index.ts';
import { count } from '../../../doctor/report.ts';
import { notTrusted, trustOf } from '../../../doctor/trust.ts';
import {
  chosenModels,
  limitFlags,
  limitFlagsHelp,
  limitsOf,
  modelFlags,
  modelFlagsHelp,
  modelSources,
  oneLine,
  openAgent,
  pasteable,
  roleFlags,
  roleFlagsHelp,
  rolesOf,
  sayUnmatchedRules,
  shellWord,
  textFlag,
  wrapWords,
  type CliCommand,
  type Invocation,
  type Lines,
} from '../../command-kit.ts';
import { placeOf } from '../../runs/run-store.ts';
import { loadMeanings } from '../../semantic-ranking.ts';
import { createBill, openQuestion, slashSkills, type Chat } from './context.ts';
import { holdConversation, isAtTerminal, shownQuestion } from './conversation.ts';
import { chooseSession, earlierTurns, type SessionChoice } from './session.ts';
import { chatCommands, completer } from './slash-commands.ts';

/** `skilled chat`: one turn for each line, all in one session. */
export const chat: CliCommand = {
  summary: 'Hold a conversation: each line is a turn, and the skill that fits is found.',
  usage: `Usage: skilled chat [-c | -r <id>] [flags]

Answers are on stdout, everything else on stderr. /help in the conversation shows what can
be typed. Without a terminal each line of stdin is a turn; with --json each of them is
answered by a line of JSON.

  skilled chat -r s_5f0c

  -c, --continue        go on with the last conversation
  -r, --resume <id>     go on with this one; the beginning of its id is enough
${roleFlagsHelp}
${limitFlagsHelp}
${modelFlagsHelp}`,
  options: {
    continue: { type: 'boolean', short: 'c' },
    resume: { type: 'string', short: 'r' },
    ...roleFlags,
    ...limitFlags,
    ...modelFlags,
  },
  async run(invocation) {
    const { flags, own, terminal } = invocation;
    const choice = choiceOf(invocation);
    const limits = limitsOf(own);
    const { where: store, retentionDays } = placeOf(flags);
    await using agent = await openAgent(flags, {
      ...chosenModels(invocation),
      store,
      ...optional('retentionDays', retentionDays),
    });
    sayUnmatchedRules(agent, invocation);
    const chosen = await chooseSession(agent, choice, flags);
    const held: Chat = {
      agent,
      invocation,
      ...chosen,
      bill: createBill(agent, chosen.session),
      ...(isAtTerminal({ invocation }) ? optional('history', openLineHistory()) : {}),
      bounds: {
        limits,
        ...optional('roles', rolesOf(invocation)),
        ...(limits.steps === undefined ? {} : { wanted: { maxTicks: limits.steps } }),
      },
    };
    if (isAtTerminal(held)) {
      if (!flags.quiet) say(invocation, await firstLines(held));
      loadMeanings(agent); // while the first line is typed
    }
    using lines =
      (await terminal.openLines?.(completer(held, chatCommands), held.history?.earlier)) ?? noLines;
    const exitCode = await holdConversation(held, lines);
    if (held.lastRun !== undefined && !flags.quiet) say(invocation, [howToGoOn(held)]);
    return exitCode;
  },
};

function choiceOf({ own }: Invocation): SessionChoice {
  const id = textFlag(own, 'resume');
  if (id !== undefined && own['continue'] === true)
    throw new AgentError('usage.bad-input', '--continue and --resume name two conversations.', {
      hint: 'Leave out one.',
    });
  if (id !== undefined) return { id };
  return own['continue'] === true ? 'last' : 'new';
}

async function firstLines(held: Chat): Promise<readonly string[]> {
  const first = await greeting(held);
  if (held.lastRun === undefined) return first;
  const waiting = await openQuestion(held);
  const asked = waiting === undefined ? [] : shownQuestion(waiting.question, held.invocation.terminal);
  return [...first, '', ...(await earlierTurns(held)), ...asked];
}

function howToGoOn({ invocation, session }: Chat): string {
  const command = `\`skilled chat -r ${shellWord(oneLine(session))}\``;
  return pasteable(`Go on with it: ${command}`, invocation.terminal);
}

function say({ terminal }: Invocation, lines: readonly string[]): void {
  terminal.err(lines.map((line) => `${line}\n`).join(''));
}

const noLines: Lines = { next: () => Promise.resolve(undefined), [Symbol.dispose]: () => undefined };

/** The first lines that somebody at a terminal sees: who is asked, what there is, and where to go from here. They fit its width, but for commands. */
async function greeting(chat: Chat): Promise<readonly string[]> {
  const { flags, terminal } = chat.invocation;
  const report = await reportModels(
    modelSources(chat.invocation),
    machineFor(flags.safe ? undefined : flags.cwd),
  );
  const columns = terminal.live?.screen().columns ?? Infinity;
  const fitted = (line: string): readonly string[] => wrapWords(line, columns - 1);
  return [
    ...[...modelLines(report), countsLine(chat)].flatMap(fitted),
    ...untrustedLines(chat),
    ...fitted('Say what is to be done. /help shows what else can be typed; Ctrl+D leaves.'),
  ];
}

/** The model that plans, and how it was found; without one, what still works and what to set. */
function modelLines(report: ModelReport): readonly string[] {
  const { offline, uses, found, faults, keyVariables } = report;
  const without = 'Skills that need no model work all the same: /skills shows them.';
  if (offline) return [`Offline: no model is asked. ${without}`];
  const model = uses.flatMap(({ models }) => models)[0];
  if (model === undefined) {
    const next =
      faults[0] ?? `Set one of ${keyVariables.join(', ')}, or start a local server such as Ollama.`;
    return [`No model was found. ${oneLine(next)}`, without];
  }
  const provider = found.find((one) => model.startsWith(`${one.provider}/`));
  const place = provider?.variable === undefined ? provider?.url : `${provider.variable}, ${provider.from}`;
  const from = place === undefined ? '' : ` (${oneLine(place)})`;
  return [`Model: ${oneLine(model)}${from}.`, ...faults.map((fault) => `! ${oneLine(fault)}`)];
}

function countsLine(chat: Chat): string {
  const skills = slashSkills(chat);
  const own = ownSkills(chat).length;
  return `${count(own, 'skill')} found, ${skills.length - own} built in.`;
}

/** On a line of its own, which is not broken: a command in two lines could not be pasted. */
function untrustedLines(chat: Chat): readonly string[] {
  const book = ownTrustBook();
  const untrusted = ownSkills(chat).filter((skill) => trustOf(chat.agent, book, skill)?.trust === 'needed');
  if (untrusted.length === 0) return [];
  return [pasteable(`${notTrusted(untrusted.length)}: \`skilled trust\``, chat.invocation.terminal)];
}

function ownSkills(chat: Chat): readonly Skill[] {
  return slashSkills(chat).filter(({ source }) => source !== 'bundled');
}
