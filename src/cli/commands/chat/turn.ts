import {
  fromErrorData,
  onAbort,
  optional,
  readPrompt,
  type OpenQuestion,
  type RunHandle,
  type Usage,
} from '../../../core/index.ts';
import {
  dim,
  printJsonLine,
  withHint,
  wrapWords,
  type Invocation,
  type Terminal,
} from '../../command-kit.ts';
import { onInterrupt, type Interrupt } from '../../runs/interrupt.ts';
import { findAnswered } from '../../runs/preconditions.ts';
import { awaitPreparations } from '../../runs/preparations.ts';
import { conclude, exitCodeFor } from '../../runs/print-outcome.ts';
import { questionLines, stillOpenLines, waitingLines } from '../../runs/questions.ts';
import { prepareStore } from '../../runs/run-store.ts';
import { watchRun } from '../../runs/watch-run.ts';
import { isAtTerminal, usedText, type Chat, type Said, type TurnRequest } from './context.ts';
import { steerWithLines, type Steering } from './steering.ts';
import { createTranscript } from './transcript.ts';

/** The outcome of a turn. */
export interface TurnOutcome {
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
export async function takeTurn(chat: Chat, request: TurnRequest): Promise<TurnOutcome> {
  const { agent, invocation, session, bounds, shown } = chat;
  const { typed, ...asked } = request;
  const { prompt } = asked;
  await prepareStore(invocation, isAtTerminal(chat));
  const isOpen = asked.skill === undefined && asked.toAssistant !== true;
  const answered = isOpen && shown && (await findAnswered(agent, invocation, session, prompt, shown));
  using interrupt = onInterrupt();
  using steering = steerWithLines(chat, interrupt);
  // Wait for all skills, because the prompt may need any of them.
  if (answered === undefined && isOpen && readPrompt(prompt).name === undefined)
    await awaitPreparations(agent, invocation, interrupt.signal);
  chat.lastRequest = request;
  const question = isOpen ? (shown ?? null) : null;
  const run = agent.run({ ...asked, session, ...bounds, signal: interrupt.signal, question });
  return await finishTurn(chat, { run, interrupt, steering, ...optional('typed', typed) });
}

/**
 * Continues the conversation's last run if its process ended before the run did, or if it waits for an
 * approval. Returns undefined if there is nothing to continue.
 */
export async function continueTurn(chat: Chat): Promise<TurnOutcome | undefined> {
  const { agent, invocation, lastRun } = chat;
  if (lastRun === undefined) return undefined;
  const { id, status, seq } = await agent.runs.find(lastRun);
  const isApproval = status === 'waiting' && (await agent.runs.result(id)).question?.kind === 'approval';
  if (status !== 'interrupted' && !isApproval) return undefined;
  if (status === 'interrupted')
    say(invocation, [dim('The interrupted answer continues:', invocation.terminal)]);
  using interrupt = onInterrupt();
  using steering = steerWithLines(chat, interrupt);
  const run = agent.runs.resume(id, { signal: interrupt.signal });
  return await finishTurn(chat, { run, interrupt, steering, known: seq });
}

/** Summarises the oldest turns of the conversation, so that it takes less room. */
export async function compactTurns(chat: Chat): Promise<Said> {
  const { agent, invocation, session } = chat;
  using interrupt = onInterrupt();
  const run = agent.session(session).compact();
  using _stopped = onAbort(interrupt.signal, () => void run.cancel());
  const { result, tree } = await watchRun({ agent, invocation, interrupt, run, approvalsOnly: true });
  if (tree.runId !== '') chat.bill.note(tree.runId, tree.totalUsage);
  if (result.error !== undefined) throw fromErrorData(result.error);
  return { text: `${result.text}\n`, document: { ok: true, text: result.text } };
}

/** A run that this conversation shows until it stops. */
interface OpenTurn {
  readonly run: RunHandle;
  readonly interrupt: Interrupt;
  readonly steering: Steering;
  readonly typed?: string;
  /** The sequence number of the last event that was shown before. */
  readonly known?: number;
}

/** Shows a run until it ends or waits, and prints its outcome. */
async function finishTurn(chat: Chat, { steering, ...open }: OpenTurn): Promise<TurnOutcome> {
  const { agent, invocation } = chat;
  steering.run = open.run;
  const transcript = createTranscript(invocation);
  const outcome = await watchRun({
    agent,
    invocation,
    ...open,
    approvalsOnly: true,
    hear: steering.hear,
    ...(transcript && { createView: transcript.open }),
  });
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
  const isTreeShown = transcript !== undefined;
  const exitCode = conclude({ ...outcome, result: shownResult, waits, isTreeShown, ...ending }, invocation);
  if (stillOpen !== undefined && !isAsked)
    say(invocation, [
      ...stillOpenLines(stillOpen, invocation.terminal),
      ...wrapWords(howToAnswer, invocation.terminal.width ?? Infinity, '  '),
    ]);
  if (isTreeShown) say(invocation, ['']); // An empty line between turns.
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
  return [...questionLines(question, terminal), ...wrapWords(howToAnswer, terminal.width ?? Infinity, '  ')];
}

const howToAnswer = '  Your next line answers it; /cancel drops it.';

function waitLines({ invocation }: Chat, runId: string, question: OpenQuestion): readonly string[] {
  return question.kind === 'input'
    ? shownQuestion(question, invocation.terminal)
    : waitingLines(runId, [question], invocation);
}
