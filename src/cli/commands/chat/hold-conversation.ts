import { exitCodeOf, toErrorData } from '../../../core/error.ts';
import { readPrompt } from '../../../core/run.ts';
import type { Lines } from '../../lines/lines.ts';
import { errorText } from '../../output/error.ts';
import { printJsonLine } from '../../output/json.ts';
import { oneLine } from '../../output/text.ts';
import type { Chat } from './chat.ts';
import { chatCommands } from './chat-commands.ts';
import { mustBeCommand } from './must-be-command.ts';
import { openQuestion, waitingRuns } from './open-question.ts';
import { takeTurn, type Turn } from './take-turn.ts';

/** Whether somebody sits there who reads and types. */
export function isAtTerminal({ invocation }: Pick<Chat, 'invocation'>): boolean {
  return invocation.terminal.ask !== undefined && !invocation.flags.json;
}

/**
 * Takes one line after the other until none comes, or one says to leave; returns the exit code. For people that is 0. For
 * programs it is 4 when something waits in the end, else that of the last line that failed.
 */
export async function holdConversation(chat: Chat, lines: Lines): Promise<number> {
  let exitCode = 0;
  for await (const line of wholeLines(chat, lines)) {
    const went = await take(chat, line);
    if (went === 'leave') break;
    if (isAtTerminal(chat)) continue;
    if (went.isInterrupted) return interrupted;
    if (went.exitCode !== 0 && !went.isWaiting) exitCode = went.exitCode;
  }
  if (isAtTerminal(chat)) return 0;
  return (await waitingRuns(chat)).length > 0 ? waits : exitCode;
}

const waits = 4;
const interrupted = 130;
const quiet = { isWaiting: false, isInterrupted: false } as const;

/** Lines as they are meant: one that ends with a backslash goes on in the next, and empty ones say nothing. */
async function* wholeLines(chat: Chat, lines: Lines): AsyncGenerator<string, void> {
  while (true) {
    const isAsked = isAtTerminal(chat) && (await openQuestion(chat)) !== undefined;
    let line = await lines.next(isAtTerminal(chat) ? (isAsked ? 'answer> ' : '> ') : '');
    while (line?.endsWith('\\') === true) {
      const more = await lines.next(isAtTerminal(chat) ? '… ' : '');
      if (more === undefined && isAtTerminal(chat)) return; // whoever leaves did not mean to send it
      line = `${line.slice(0, -1)}\n${more ?? ''}`;
    }
    if (line === undefined) return;
    if (!isAsked) remember(chat, line);
    if (line.trim() !== '') yield line.trim();
  }
}

/** Keeps what was typed for the arrow keys of the next conversation. Answers are not: they may be anything. */
function remember({ history, invocation }: Chat, typed: string): void {
  for (const line of typed.split('\n')) {
    if (history?.keep(line) !== true || invocation.flags.quiet) continue;
    invocation.terminal.err(`Lines that you type are kept in ${oneLine(history.file)}\n`);
  }
}

/** A command of the conversation, or a turn of it; what fails is said, and the conversation goes on. */
async function take(chat: Chat, line: string): Promise<Turn | 'leave'> {
  try {
    const { mark, name, words } = readPrompt(line);
    const command = mark === '/' ? chatCommands.find((one) => one.name === name) : undefined;
    if (command === undefined) {
      if (name !== undefined || /^\/(?:\s|$)/.test(line)) await mustBeCommand(chat, mark, name);
      return await takeTurn(chat, line);
    }
    if (command.answer === undefined) return 'leave';
    const { text, document } = await command.answer(chat, words);
    const { flags, terminal } = chat.invocation;
    if (flags.json) printJsonLine(terminal, document);
    else terminal.out(text);
    return { ...quiet, exitCode: 0 };
  } catch (thrown) {
    const error = toErrorData(thrown);
    if (error.code === 'internal.bug') throw thrown;
    const { flags, terminal } = chat.invocation;
    if (flags.json) printJsonLine(terminal, { ok: false, error });
    else terminal.err(errorText(error, terminal));
    return { ...quiet, exitCode: exitCodeOf(error.code) };
  }
}
