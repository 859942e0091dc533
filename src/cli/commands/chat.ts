import { openLineHistory } from '../../config/line-history.ts';
import { AgentError } from '../../core/error.ts';
import { optional } from '../../core/collections.ts';
import type { Command, Invocation } from '../command.ts';
import { limitFlags, limitFlagsHelp, limitsOf } from '../limit-flags.ts';
import type { Lines } from '../lines/lines.ts';
import { chosenModels, modelFlags, modelFlagsHelp } from '../model-flags.ts';
import { loadMeanings } from '../meanings.ts';
import { openAgent } from '../open-agent.ts';
import { sayUnmatchedRules } from '../say-findings.ts';
import { oneLine } from '../output/text.ts';
import { roleFlags, roleFlagsHelp, rolesOf } from '../role-flags.ts';
import { placeOf } from '../run-store.ts';
import { pasteable } from '../output/pasteable.ts';
import { shellWord } from '../shell-word.ts';
import { textFlag } from '../text-flag.ts';
import { createBill } from './chat/bill.ts';
import type { Chat } from './chat/chat.ts';
import { chatCommands } from './chat/chat-commands.ts';
import { chooseSession, type Choice } from './chat/choose-session.ts';
import { completer } from './chat/complete-line.ts';
import { earlierTurns } from './chat/earlier-turns.ts';
import { greeting } from './chat/greeting.ts';
import { holdConversation, isAtTerminal } from './chat/hold-conversation.ts';
import { openQuestion } from './chat/open-question.ts';
import { shownQuestion } from './chat/take-turn.ts';

/** `skilled chat`: one turn for each line, all in one session. */
export const chat: Command = {
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
      ...{ agent, invocation, ...chosen },
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

function choiceOf({ own }: Invocation): Choice {
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
