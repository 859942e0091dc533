import { isDeepStrictEqual } from 'node:util';
import {
  chosenOption,
  isConfirmation,
  isDecision,
  isDropping,
  offeredAnswers,
  typedValue,
  userKey,
  type ApprovalRequest,
  type Json,
  type OpenQuestion,
  type RunEvent,
  type RunQuery,
  type RunSummary,
  type ShownQuestion,
  type Store,
} from '../../core/index.ts';
import { openQuestions, readLog } from '../../run/log/read-log.ts';
import { answerSpace, fromStored } from '../../run/questions/answers.ts';
import { foldRun, pendingOf, shownRequest } from '../../views/index.ts';
import type { RunServices } from './run-handle.ts';

/** A question whose answer a run is waiting for. It is never an approval. */
export interface WaitingQuestion {
  readonly runId: string;
  readonly question: OpenQuestion;
  /** Whether the question has been answered but the run has not been resumed yet. */
  readonly isAnswered: boolean;
}

/** The questions that are waiting in a session. */
interface Waiting {
  /** The question that the next prompt answers, unless that prompt is a new request. */
  readonly next?: WaitingQuestion;
  /** The ids of the runs whose question has expired. */
  readonly late: readonly string[];
}

/** Options for finding the question that a prompt answers. */
interface WaitingOptions {
  readonly prompt?: string | undefined;
  /** The id of a run whose questions are ignored. */
  readonly except?: string;
  /** The user who sent the prompt. If absent, the questions of all users are considered. */
  readonly user?: { readonly id?: string | undefined };
  /** The question that the user was shown. While it is open, it takes precedence over all others. */
  readonly question?: ShownQuestion | null | undefined;
}

const maxRuns = 1_000; // The maximum number of waiting runs to check in a session.

/**
 * Finds a session's questions that are waiting for a text answer. The next prompt answers the question that
 * was shown to the user or, if there is none, the oldest one. A question that already has an answer is
 * considered only if the prompt repeats that answer. A confirmation is considered only if it was the last
 * question that the user was shown, so that a "yes" never confirms anything else. Approvals are handled
 * elsewhere.
 */
export async function findWaiting(
  { store, runs }: Pick<RunServices, 'store' | 'runs'>,
  session: string,
  { prompt, except, user, question }: WaitingOptions = {},
): Promise<Waiting> {
  const waiting = await store.runs({ session: runs.keyOf(session), status: ['waiting'], limit: maxRuns });
  const now = runs.now();
  const asked: (readonly Asked[])[] = [];
  const late: string[] = [];
  for (const { id: runId } of waiting.filter(({ id }) => id !== except).toReversed()) {
    const events = await readLog(store, runId);
    if (user !== undefined && askerIn(events) !== userKey(user.id)) continue;
    const answers = await store.entries(answerSpace(runId));
    const isLate = ({ id, asks, expires = asks?.expires ?? Infinity }: OpenQuestion): boolean =>
      expires <= now && !answers.has(id);
    const pending = pendingOf(events);
    const waitsSince = events.findLast(({ type }) => type === 'run.waiting')?.at;
    if (pending.some((one) => one.kind === 'input' && isLate(one))) late.push(runId);
    const open = pending.flatMap((one): readonly Asked[] => {
      const given = answers.get(one.id);
      const isAnswered =
        given !== undefined && prompt !== undefined && isSame(fromStored(given).answer, one, prompt);
      const isOpen = given === undefined && !isLate(one);
      const at = askedAt(events, one.id);
      return isOpen || isAnswered
        ? [{ runId, question: one, isAnswered, at, shownAt: waitsSince ?? at }]
        : [];
    });
    if (open.length > 0) asked.push(open);
  }
  const next = asked.flat().find((one) => isShown(one, question)) ?? pickNext(asked, prompt);
  if (next === undefined) return { late };
  const { at: _at, shownAt: _shownAt, ...found } = next;
  return { next: found, late };
}

/** An open question, the time when it was asked and the time when its run last began to wait. */
interface Asked extends WaitingQuestion {
  readonly at: number;
  readonly shownAt: number;
}

/**
 * Selects the question that a prompt answers. Each element of `runs` contains one run's questions, oldest
 * first. Without a prompt, selects the question to show to the user.
 */
function pickNext(runs: readonly (readonly Asked[])[], prompt: string | undefined): Asked | undefined {
  // Users see the oldest question of the run that stopped most recently.
  const [shown] = runs.reduce((last, run) => (shownAt(run) >= shownAt(last) ? run : last), runs[0] ?? []);
  const isForPrompts = ({ question: { kind } }: Asked): boolean => kind === 'input';
  // A "yes" or "no" answers only the question that the user was shown, never an older one.
  if (shown !== undefined && isDecision(prompt ?? '')) return isForPrompts(shown) ? shown : undefined;
  if (shown !== undefined && isForPrompts(shown) && isConfirmation(shown.question))
    if (prompt === undefined || isChoice(shown.question, prompt)) return shown;
  const oldest = runs.flatMap((run) => run.find(isForPrompts) ?? []).sort((one, other) => one.at - other.at);
  return oldest.find((one) => one === shown || !isConfirmation(one.question));
}

function shownAt([first]: readonly Asked[]): number {
  return first?.shownAt ?? 0;
}

function isShown({ runId, question: { id, kind } }: Asked, shown: ShownQuestion | null | undefined): boolean {
  return kind === 'input' && runId === shown?.runId && id === shown.id;
}

/** Whether a prompt is one of the answers that a confirmation offers. */
function isChoice(question: OpenQuestion, prompt: string): boolean {
  if (!isConfirmation(question)) return false;
  if (offeredAnswers(question).includes(chosenOption(question, prompt.trim()))) return true;
  return typeof tryAnswer(question, prompt) === 'boolean';
}

function askerIn(events: readonly RunEvent[]): string | undefined {
  return events.find((event) => event.type === 'run.started')?.user;
}

/** Whether a prompt answers or cancels the waiting question. Otherwise, it is a new request. */
export function isMeantFor(
  { runId, question, isAnswered }: WaitingQuestion,
  prompt: string,
  { runs }: Pick<RunServices, 'runs'>,
): boolean {
  return isAnswered || isDropping(prompt) || runs.isAnswer(runId, question, prompt);
}

/** Parses a prompt as the answer to a question. Throws `usage.bad-input` if it is not a possible answer. */
export function answerIn(question: OpenQuestion, prompt: string): Json {
  return typedValue('The answer', chosenOption(question, prompt.trim()), question.schema);
}

function askedAt(events: readonly RunEvent[], id: string): number {
  return openQuestions(events).find((event) => event.id === id)?.at ?? 0;
}

function isSame(given: Json, question: OpenQuestion, prompt: string): boolean {
  return isDeepStrictEqual(given, tryAnswer(question, prompt));
}

function tryAnswer(question: OpenQuestion, prompt: string): Json | undefined {
  try {
    return answerIn(question, prompt);
  } catch {
    return undefined; // A prompt that is not a valid answer cannot repeat an earlier answer.
  }
}

/** An approval that a run is waiting for. */
export interface PendingApproval {
  readonly runId: string;
  /** The id to pass when approving or denying the call. */
  readonly id: string;
  /** The skills on the call path to the skill that requests the approval. */
  readonly path: readonly string[];
  readonly asks: ApprovalRequest;
  /** The time when the approval was requested, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** Whether the approval has expired, in which case it is too late for a decision. */
  readonly expired: boolean;
}

/** Returns the pending approvals of all runs in a store, oldest first. */
export async function pendingApprovals(
  store: Store,
  now: number,
  query: Pick<RunQuery, 'ids' | 'user'> = {},
): Promise<readonly PendingApproval[]> {
  const runs = await store.runs({
    ...query,
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
    const { id, at } = asked;
    const asks = shownRequest(asked.asks);
    const path = questions.find((question) => question.id === id)?.path ?? [];
    return [{ runId, id, path, asks, at, expired: (asks.expires ?? Infinity) <= now }];
  });
}
