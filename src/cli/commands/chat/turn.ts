import { optional, readPrompt, type OpenQuestion, type Usage } from '../../../core/index.ts';
import { printJsonLine, withHint, type Invocation, type Terminal } from '../../command-kit.ts';
import { onInterrupt } from '../../runs/interrupt.ts';
import { findAnswered } from '../../runs/preconditions.ts';
import { awaitPreparations } from '../../runs/preparations.ts';
import { conclude, exitCodeFor } from '../../runs/print-outcome.ts';
import { questionLines, stillOpenLines, waitingLines } from '../../runs/questions.ts';
import { prepareStore } from '../../runs/run-store.ts';
import { watchRun } from '../../runs/watch-run.ts';
import { usedText, type Chat, type TurnRequest } from './context.ts';
import { steerWithLines } from './steering.ts';
import { createTranscript } from './transcript.ts';

/** The outcome of a turn. */
export interface Turn {
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
export async function takeTurn(chat: Chat, request: TurnRequest): Promise<Turn> {
  const { agent, invocation, session, bounds, shown } = chat;
  const { typed, ...asked } = request;
  const { prompt } = asked;
  await prepareStore(invocation);
  const mayAnswer = shown !== undefined && asked.skill === undefined;
  const answered = mayAnswer && (await findAnswered(agent, invocation, session, prompt, shown));
  using interrupt = onInterrupt();
  const { signal } = interrupt;
  using steering = steerWithLines(chat, interrupt);
  // Wait for all skills, because the prompt may need any of them.
  if (!answered && asked.skill === undefined && readPrompt(prompt).name === undefined)
    await awaitPreparations(agent, invocation, signal);
  const answers = asked.skill === undefined ? (shown ?? null) : null;
  const run = agent.run({ ...asked, session, ...bounds, signal, question: answers });
  steering.run = run;
  chat.lastPrompt = prompt;
  const transcript = createTranscript(invocation);
  const outcome = await watchRun({
    agent,
    invocation,
    interrupt,
    run,
    approvalsOnly: true,
    hear: steering.hear,
    ...optional('typed', typed),
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
