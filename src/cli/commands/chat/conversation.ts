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

/** How a turn went. */
interface Turn {
  readonly exitCode: number;
  /** Its run waits for a person. */
  readonly isWaiting: boolean;
  /** Ctrl+C. */
  readonly isInterrupted: boolean;
}

/** Carries out what was said, or answers a question with it, and prints what it came to; throws where the run that asked cannot go on here. */
export async function takeTurn(chat: Chat, prompt: string): Promise<Turn> {
  const { agent, invocation, session, bounds, lastRun } = chat;
  using _kept = await invocation.terminal.keepTyped?.();
  await prepareStore(invocation);
  const answered = lastRun === undefined ? undefined : await findAnswered(agent, invocation, session, prompt);
  using interrupt = onInterrupt();
  const { signal } = interrupt;
  if (answered === undefined && readPrompt(prompt).name === undefined)
    await awaitPreparations(agent, invocation, signal); // nobody knows yet which skill the prompt needs
  const run = agent.run({ prompt, session, ...bounds, signal });
  const seen = await watchRun({ agent, invocation, interrupt, run, leavesQuestions: true });
  const { result, tree, isInterrupted } = seen;
  const { stillOpen, ...told } = result;
  const { runId, status, question } = told;
  const how = { isWaiting: status === 'waiting' && result.error === undefined, isInterrupted };
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
  const exitCode = conclude({ ...seen, result: told, waits, ...ending }, invocation);
  const isAsked = status === 'waiting' && question?.kind === 'input';
  if (stillOpen !== undefined && !isAsked)
    say(invocation, [...stillOpenLines(stillOpen, invocation.terminal), howToAnswer]);
  return { ...how, exitCode };
}

/** What the conversation has used, where that is more than its last run did. */
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

/** A question as the conversation shows it. */
export function shownQuestion(question: OpenQuestion, terminal: Terminal): readonly string[] {
  return [...questionLines(question, terminal), howToAnswer];
}

const howToAnswer = '  Your next line answers it; /cancel drops it.';

function waitLines({ invocation }: Chat, runId: string, question: OpenQuestion): readonly string[] {
  return question.kind === 'input'
    ? shownQuestion(question, invocation.terminal)
    : waitingLines(runId, [question], invocation);
}
