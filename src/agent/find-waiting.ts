import { isDeepStrictEqual } from 'node:util';
import type { RunEvent } from '../core/event.ts';
import type { Json } from '../core/json.ts';
import { typedValue } from '../core/json/coerce.ts';
import { chosenOption, isDropping } from '../core/run.ts';
import type { OpenQuestion } from '../core/run.ts';
import { readLog } from '../run/log/read-log.ts';
import { answerSpace } from '../run/questions/answers.ts';
import { pendingOf } from '../views/pending.ts';
import type { RunWorks } from './attend.ts';

/** A question that waits for an answer in words. */
export interface WaitingQuestion {
  readonly runId: string;
  readonly question: OpenQuestion;
  /** Set when this very answer was given before, and nobody took up the run since. */
  readonly isAnswered: boolean;
}

/** What waits for answers in a session. */
export interface Waiting {
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
  { store, runs }: Pick<RunWorks, 'store' | 'runs'>,
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
  { runs }: Pick<RunWorks, 'runs'>,
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
