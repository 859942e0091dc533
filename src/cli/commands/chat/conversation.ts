import {
  exitCodeOf,
  optional,
  readPrompt,
  toErrorData,
  type OpenQuestion,
  type Usage,
} from '../../../core/index.ts';
import {
  errorText,
  oneLine,
  printJsonLine,
  withHint,
  type Invocation,
  type Lines,
  type Terminal,
} from '../../command-kit.ts';
import { findAnswered } from '../../runs/preconditions.ts';
import { conclude, exitCodeFor } from '../../runs/print-outcome.ts';
import { questionLines, stillOpenLines, waitingLines } from '../../runs/questions.ts';
import { prepareStore } from '../../runs/run-store.ts';
import { onInterrupt } from '../../runs/interrupt.ts';
import { awaitPreparations } from '../../runs/preparations.ts';
import { watchRun } from '../../runs/watch-run.ts';
import { openQuestion, usedText, waitingRuns, type Chat } from './context.ts';
import { chatCommands, mustBeCommand } from './slash-commands.ts';

/** Whether the user holds the conversation at a terminal. */
export function isAtTerminal({ invocation }: Pick<Chat, 'invocation'>): boolean {
  return invocation.terminal.ask !== undefined && !invocation.flags.json;
}

/**
 * Handles one line after another until the input ends or a line ends the conversation. Returns the exit code.
 * At a terminal, it is always 0. Otherwise, it is 130 if a turn was interrupted, 4 if a run is waiting for
 * the user at the end, or else the code of the last line that failed.
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

/**
 * Yields complete lines. A line that ends with a backslash continues on the next line, and empty lines are
 * skipped.
 */
async function* wholeLines(chat: Chat, lines: Lines): AsyncGenerator<string, void> {
  while (true) {
    const isAsked = isAtTerminal(chat) && (await openQuestion(chat)) !== undefined;
    let line = await lines.next(isAtTerminal(chat) ? (isAsked ? 'answer> ' : '> ') : '');
    while (line?.endsWith('\\') === true) {
      const more = await lines.next(isAtTerminal(chat) ? '… ' : '');
      // The input ended in an incomplete line. Do not send it.
      if (more === undefined && isAtTerminal(chat)) return;
      line = `${line.slice(0, -1)}\n${more ?? ''}`;
    }
    if (line === undefined) return;
    if (!isAsked) remember(chat, line);
    if (line.trim() !== '') yield line.trim();
  }
}

/**
 * Saves typed lines so that the arrow keys can recall them in the next conversation. Answers are not saved
 * because they may be secret.
 */
function remember({ history, invocation }: Chat, typed: string): void {
  for (const line of typed.split('\n')) {
    if (history?.add(line) !== true || invocation.flags.quiet) continue;
    invocation.terminal.err(`Lines that you type are stored in ${oneLine(history.file)}\n`);
  }
}

/** Runs a line as a chat command or a turn. Prints an error if it fails; the conversation then continues. */
async function take(chat: Chat, line: string): Promise<Turn | 'leave'> {
  try {
    const { mark, name, rest } = readPrompt(line);
    const command = mark === '/' ? chatCommands.find((one) => one.name === name) : undefined;
    if (command === undefined) {
      if (name !== undefined || /^\/(?:\s|$)/.test(line)) await mustBeCommand(chat, mark, name);
      return await takeTurn(chat, line);
    }
    if (command.answer === undefined) return 'leave';
    const { text, document } = await command.answer(chat, rest);
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

/** The outcome of a turn. */
interface Turn {
  readonly exitCode: number;
  /** Whether the turn's run is waiting for the user. */
  readonly isWaiting: boolean;
  /** Whether Ctrl+C interrupted the turn. */
  readonly isInterrupted: boolean;
}

/**
 * Runs a prompt or uses it to answer a question, and prints the outcome. Throws if the run that asked the
 * question cannot continue here.
 */
export async function takeTurn(chat: Chat, prompt: string): Promise<Turn> {
  const { agent, invocation, session, bounds, shown } = chat;
  using _held = await invocation.terminal.holdTyped?.();
  await prepareStore(invocation);
  const answered = shown && (await findAnswered(agent, invocation, session, prompt, shown));
  using interrupt = onInterrupt();
  const { signal } = interrupt;
  // Wait for all skills, because the prompt may need any of them.
  if (answered === undefined && readPrompt(prompt).name === undefined)
    await awaitPreparations(agent, invocation, signal);
  const run = agent.run({ prompt, session, ...bounds, signal, question: shown ?? null });
  const outcome = await watchRun({ agent, invocation, interrupt, run, approvalsOnly: true });
  const { result, tree, isInterrupted } = outcome;
  const { stillOpen, ...shownResult } = result;
  const { runId, status, question } = shownResult;
  const how = { isWaiting: status === 'waiting' && result.error === undefined, isInterrupted };
  const isAsked = status === 'waiting' && question?.kind === 'input';
  const next = isAsked ? { runId, id: question.id } : stillOpen;
  chat.shown = next && { runId: next.runId, id: next.id };
  if (tree.runId !== '') {
    chat.lastRun = runId;
    chat.bill.note(runId, tree.totalUsage);
  }
  if (invocation.flags.json) {
    const error = result.error && withHint(result.error, invocation.flags.safe);
    printJsonLine(invocation.terminal, { ...result, ...optional('error', error) });
    return { ...how, exitCode: exitCodeFor(result) };
  }
  const waits = tree.questions.flatMap((question) => waitLines(chat, runId, question));
  const ending = optional('ending', await billText(chat, tree.totalUsage));
  const exitCode = conclude({ ...outcome, result: shownResult, waits, ...ending }, invocation);
  if (stillOpen !== undefined && !isAsked)
    say(invocation, [...stillOpenLines(stillOpen, invocation.terminal), howToAnswer]);
  return { ...how, exitCode };
}

/** Formats the conversation's usage if it is higher than the last run's usage. */
async function billText({ bill }: Chat, last: Usage): Promise<string | undefined> {
  const { used } = await bill.total();
  return tokensOf(used) > tokensOf(last) ? `conversation ${usedText(used)}` : undefined;
}

function tokensOf({ inputTokens, outputTokens }: Usage): number {
  return inputTokens + outputTokens;
}

function say({ terminal }: Invocation, lines: readonly string[]): void {
  terminal.err(lines.map((line) => `${line}\n`).join(''));
}

/** Formats a question as the conversation shows it. */
export function shownQuestion(question: OpenQuestion, terminal: Terminal): readonly string[] {
  return [...questionLines(question, terminal), howToAnswer];
}

const howToAnswer = '  Your next line answers it; /cancel drops it.';

function waitLines({ invocation }: Chat, runId: string, question: OpenQuestion): readonly string[] {
  return question.kind === 'input'
    ? shownQuestion(question, invocation.terminal)
    : waitingLines(runId, [question], invocation);
}
