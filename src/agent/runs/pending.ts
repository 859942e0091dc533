import { isDeepStrictEqual } from 'node:util';
import {
  chosenOption,
  isDropping,
  typedValue,
  type ApprovalRequest,
  type Json,
  type OpenQuestion,
  type RunEvent,
  type RunSummary,
  type Store,
} from '../../core/index.ts';
import { openQuestions, readLog } from '../../run/log/read-log.ts';
import { answerSpace } from '../../run/questions/answers.ts';
import { foldRun, pendingOf } from '../../views/index.ts';
import type { RunServices } from './run-handle.ts';

/** A question that waits for an answer in words. */
export interface WaitingQuestion {
  readonly runId: string;
  readonly question: OpenQuestion;
  /** Set when this very answer was given before, and nobody took up the run since. */
  readonly isAnswered: boolean;
}

/** What waits for answers in a session. */
interface Waiting {
  /** What the next prompt answers, if it is an answer. */
  readonly next?: WaitingQuestion;
  /** The runs with a question that nobody can answer any more. */
  readonly late: readonly string[];
}

const mostRuns = 1_000; // that wait in one session

/**
 * What waits in a session for an answer in words: the next prompt is for the run that asked last, and there for the oldest
 * question that has no answer yet, or whose answer is what the prompt says again. Approvals are decided elsewhere.
 */
export async function findWaiting(
  { store, runs }: Pick<RunServices, 'store' | 'runs'>,
  session: string,
  { prompt, except }: { readonly prompt?: string | undefined; readonly except?: string } = {},
): Promise<Waiting> {
  const waiting = await store.runs({ session: runs.keyOf(session), status: ['waiting'], limit: mostRuns });
  const now = runs.now();
  const asked: (WaitingQuestion & { readonly at: number })[] = [];
  const late: string[] = [];
  for (const { id: runId } of waiting.filter(({ id }) => id !== except)) {
    const events = await readLog(store, runId);
    const answers = await store.entries(answerSpace(runId));
    const open = pendingOf(events).filter(({ kind }) => kind === 'input');
    const isLate = ({ id, expires = Infinity }: OpenQuestion): boolean => expires <= now && !answers.has(id);
    if (open.some(isLate)) late.push(runId);
    const known = open.flatMap((question): readonly WaitingQuestion[] => {
      const given = answers.get(question.id);
      const isAnswered = given !== undefined && prompt !== undefined && isSame(given, question, prompt);
      const isOpen = given === undefined && !isLate(question);
      return isOpen || isAnswered ? [{ runId, question, isAnswered }] : [];
    });
    const [oldest] = known;
    const at = Math.max(...known.map(({ question }) => askedAt(events, question.id)));
    if (oldest !== undefined) asked.push({ ...oldest, at });
  }
  const [latest] = asked.sort((one, other) => other.at - one.at); // the newest run where two asked at once
  if (latest === undefined) return { late };
  const { at: _at, ...next } = latest;
  return { next, late };
}

/** Whether a prompt answers or drops a question that waits, and is no request of its own. */
export function isMeantFor(
  { runId, question, isAnswered }: WaitingQuestion,
  prompt: string,
  { runs }: Pick<RunServices, 'runs'>,
): boolean {
  return isAnswered || isDropping(prompt) || runs.isAnswer(runId, question, prompt);
}

/** What a prompt says to a question; throws `usage.bad-input` where it cannot be that. */
export function answerIn(question: OpenQuestion, prompt: string): Json {
  return typedValue('The answer', chosenOption(question, prompt.trim()), question.schema);
}

function askedAt(events: readonly RunEvent[], id: string): number {
  return events.find((event) => event.type === 'input.requested' && event.id === id)?.at ?? 0;
}

function isSame(given: Json, question: OpenQuestion, prompt: string): boolean {
  try {
    return isDeepStrictEqual(given, answerIn(question, prompt));
  } catch {
    return false; // it cannot be an answer at all
  }
}

/** A decision that a run waits for. */
export interface PendingApproval {
  readonly runId: string;
  /** By which it is decided. */
  readonly id: string;
  /** The skills on the way down to whoever asks. */
  readonly path: readonly string[];
  readonly asks: ApprovalRequest;
  /** Milliseconds since 1970 when it was asked. */
  readonly at: number;
  /** Nobody can decide it any more. */
  readonly expired: boolean;
}

/** What people are to decide in the runs of a store, oldest first; what somebody decided already is left out. */
export async function pendingApprovals(store: Store, now: number): Promise<readonly PendingApproval[]> {
  const runs = await store.runs({
    status: ['waiting', 'running', 'interrupted'],
    preparations: true,
    limit: Infinity,
  });
  const pending = await Promise.all(runs.map((run) => pendingIn(store, run, now)));
  return pending.flat().sort((a, b) => a.at - b.at);
}

async function pendingIn(
  store: Store,
  { id: runId }: RunSummary,
  now: number,
): Promise<readonly PendingApproval[]> {
  const events = await readLog(store, runId);
  const decided = await store.entries(answerSpace(runId));
  const { questions } = foldRun(events);
  return openQuestions(events).flatMap((asked) => {
    if (asked.type !== 'approval.requested' || decided.has(asked.id)) return [];
    const { id, at, asks } = asked;
    const path = questions.find((question) => question.id === id)?.path ?? [];
    return [{ runId, id, path, asks, at, expired: (asks.expires ?? Infinity) <= now }];
  });
}
