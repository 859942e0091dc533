import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { openLineHistory } from '../../../config/line-history.ts';
import { machineFor } from '../../../config/models/find-models.ts';
import { reportModels, type ModelReport } from '../../../config/models/report.ts';
import { ownTrustBook } from '../../../config/trust.ts';
import { AgentError, counted, optional, type Skill } from '../../../core/index.ts';
import { notTrusted, trustOf } from '../../../doctor/trust.ts';
import {
  chosenModels,
  dim,
  limitFlags,
  limitFlagsHelp,
  limitsOf,
  modelFlags,
  modelFlagsHelp,
  modelSources,
  oneLine,
  openAgent,
  pasteable,
  pasteableLines,
  roleFlags,
  roleFlagsHelp,
  userOf,
  sayRuleIssues,
  shellWord,
  textFlag,
  wrapWords,
  type CliCommand,
  type Invocation,
  type Lines,
} from '../../command-kit.ts';
import { shownPath, storeLocation } from '../../runs/run-store.ts';
import { loadMeanings } from '../../semantic-ranking.ts';
import { completer } from './completion.ts';
import { createBill, isAtTerminal, openQuestion, showOldest, slashSkills, type Chat } from './context.ts';
import { holdConversation } from './conversation.ts';
import { chooseSession, earlierTurns, type SessionChoice } from './session.ts';
import { chatCommands } from './slash-commands.ts';
import { continueTurn, shownQuestion } from './turn.ts';

/** `skilled chat`: a conversation in which each line is a turn of the same session. */
export const chat: CliCommand = {
  summary: 'Start a conversation: each line is a turn, and skilled finds the right skill.',
  usage: `Usage: skilled chat [-c | -r <id>] [flags]

Answers go to stdout, everything else to stderr. Type /help in the conversation to see its
commands. Without a terminal, each line of stdin is a turn; with --json, each answer is a
line of JSON.

  skilled chat -r s_5f0c

  -c, --continue        continue the last conversation
  -r, --resume <id>     continue this conversation; the start of its id is enough
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
    const { where: store, retentionDays } = storeLocation(flags);
    await using agent = await openAgent(flags, {
      ...chosenModels(invocation),
      store,
      ...optional('retentionDays', retentionDays),
      sessionConfig: { cleanupInterval: 0 }, // A chat that is left open must not forget its own conversation.
    });
    sayRuleIssues(agent, invocation);
    const chosen = await chooseSession(agent, choice, flags);
    const held: Chat = {
      agent,
      invocation,
      ...chosen,
      bill: createBill(agent, chosen.session),
      queued: [],
      ...(isAtTerminal({ invocation }) ? optional('history', openLineHistory()) : {}),
      bounds: {
        limits,
        assistant: agent.session(chosen.session).assistant ?? 'open',
        ...optional('user', userOf(invocation)),
        ...(limits.steps === undefined ? {} : { overrides: { maxTicks: limits.steps } }),
      },
    };
    await showOldest(held);
    if (isAtTerminal(held)) {
      if (!flags.quiet) say(invocation, await firstLines(held));
      loadMeanings(agent); // Load the data for semantic ranking while the user types.
    }
    using lines =
      (await terminal.openLines?.(completer(held, chatCommands, flags.cwd), held.history?.earlier)) ??
      noLines;
    held.lines = lines;
    if (isAtTerminal(held)) await continueTurn(held);
    const exitCode = await holdConversation(held, lines);
    if (held.lastRun !== undefined && !flags.quiet) say(invocation, [continueHint(held)]);
    return exitCode;
  },
};

function choiceOf({ own }: Invocation): SessionChoice {
  const id = textFlag(own, 'resume');
  if (id !== undefined && own['continue'] === true)
    throw new AgentError('usage.bad-input', '--continue and --resume select different conversations.', {
      hint: 'Use only one of these flags.',
    });
  if (id !== undefined) return { id };
  return own['continue'] === true ? 'last' : 'new';
}

/** Names the project's instructions for the assistant. Only files that were named here are used. */
function instructionLines({ agent, invocation }: Chat): readonly string[] {
  const files = agent.instructions.show();
  if (files.length === 0) return [];
  const paths = files.map(({ path }) => oneLine(relative(invocation.flags.cwd, path) || path));
  return [`Instructions of the project: ${paths.join(', ')}`];
}

async function firstLines(held: Chat): Promise<readonly string[]> {
  const first = await greeting(held);
  if (held.lastRun === undefined) return [...first, ''];
  const waiting = await openQuestion(held);
  const asked = waiting === undefined ? [] : shownQuestion(waiting.question, held.invocation.terminal);
  return [...first, '', ...(await earlierTurns(held)), '', ...asked];
}

function continueHint({ invocation, session }: Chat): string {
  const text = `Continue this conversation: \`skilled chat -r ${shellWord(oneLine(session))}\``;
  const { terminal } = invocation;
  const columns = terminal.live?.screen().columns;
  if (columns === undefined) return pasteable(text, terminal);
  return pasteableLines(text, terminal, { width: columns - 1, indent: '' }).join('\n');
}

function say({ terminal }: Invocation, lines: readonly string[]): void {
  terminal.err(lines.map((line) => `${line}\n`).join(''));
}

const noLines: Lines = { next: () => Promise.resolve(undefined), [Symbol.dispose]: () => undefined };

/**
 * Returns the greeting for a terminal: the model, the skills and what to do next. All lines except commands
 * fit the width.
 */
async function greeting(chat: Chat): Promise<readonly string[]> {
  const { flags, terminal } = chat.invocation;
  const report = await reportModels(
    modelSources(chat.invocation),
    machineFor(flags.safe ? undefined : flags.cwd),
  );
  const columns = terminal.live?.screen().columns ?? Infinity;
  const fitted = (line: string): readonly string[] => wrapWords(line, columns - 1);
  return [
    ...[...modelLines(report), countsLine(chat), ...instructionLines(chat)].flatMap(fitted),
    ...untrustedLines(chat),
    ...storageLines(chat)
      .flatMap(fitted)
      .map((line) => dim(line, terminal)),
    ...fitted('What would you like to do? /help lists the commands; Ctrl+D exits.'),
  ];
}

/**
 * Describes the planning model and how it was found. If there is none, lists the features that still work and
 * the settings to change.
 */
function modelLines(report: ModelReport): readonly string[] {
  const { offline, uses, found, faults, keyVariables } = report;
  const without = 'Skills that need no model still work: /skills lists them.';
  if (offline) return [`Offline: no model is called. ${without}`];
  const model = uses.flatMap(({ models }) => models)[0];
  if (model === undefined) {
    const next =
      faults[0] ?? `Set one of ${keyVariables.join(', ')}, or start a local server such as Ollama.`;
    return [`No model found. ${oneLine(next)}`, without];
  }
  const provider = found.find((one) => model.startsWith(`${one.provider}/`));
  const source = provider?.variable === undefined ? provider?.url : `${provider.variable}, ${provider.from}`;
  const from = source === undefined ? '' : ` (${oneLine(source)})`;
  return [`Model: ${oneLine(model)}${from}.`, ...faults.map((fault) => `! ${oneLine(fault)}`)];
}

/** Says where the conversation will be stored. Only files that do not exist yet are named. */
function storageLines({ invocation, history }: Chat): readonly string[] {
  const { where, isAddress } = storeLocation(invocation.flags);
  const named = [
    ...(isAddress || existsSync(where) ? [] : [`runs in ${shownPath(where, invocation)}`]),
    ...(history === undefined || existsSync(history.file)
      ? []
      : [`your input in ${shownPath(history.file, invocation)}`]),
  ];
  return named.length === 0 ? [] : [`New files: ${named.join(', ')}.`];
}

function countsLine(chat: Chat): string {
  const skills = slashSkills(chat);
  const own = ownSkills(chat).length;
  return `${counted(own, 'skill')} found, ${skills.length - own} built in.`;
}

/**
 * Returns the notice about untrusted skills, if there are any. It is never wrapped, so that its command can
 * be pasted.
 */
function untrustedLines(chat: Chat): readonly string[] {
  const book = ownTrustBook();
  const untrusted = ownSkills(chat).filter((skill) => trustOf(chat.agent, book, skill)?.trust === 'needed');
  if (untrusted.length === 0) return [];
  return [pasteable(`${notTrusted(untrusted.length)}: \`skilled trust\``, chat.invocation.terminal)];
}

function ownSkills(chat: Chat): readonly Skill[] {
  return slashSkills(chat).filter(({ source }) => source !== 'bundled');
}
