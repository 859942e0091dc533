import { isDeepStrictEqual } from 'node:util';
import { chosenOption } from '../core/chosen-option.ts';
import type { RunEvent } from '../core/event.ts';
import type { Json } from '../core/json.ts';
import type { OpenQuestion } from '../core/run.ts';
import type { Store } from '../core/store.ts';
import { typedValue } from '../core/typed-value.ts';
import { answerSpace } from '../run/answers.ts';
import { readLog } from '../run/read-log.ts';
import { pendingOf } from '../views/pending.ts';

/** A question that waits for an answer in words. */
export interface WaitingQuestion {
  readonly runId: string;
  readonly question: OpenQuestion;
  /** Set when this very answer was given before, and nobody took up the run since. */
  readonly isAnswered: boolean;
}

const mostRuns = 1_000; // that wait in one session

/**
 * The oldest question of a session that a prompt answers: one that asks for input and has no answer yet, or whose answer
 * is what the prompt says again. Approvals are decided elsewhere.
 */
export async function findWaiting(
  store: Store,
  session: string,
  prompt?: string,
): Promise<WaitingQuestion | undefined> {
  const runs = await store.runs({ session, status: ['waiting'], limit: mostRuns });
  const asked: (WaitingQuestion & { readonly at: number })[] = [];
  for (const { id: runId } of runs) {
    const events = await readLog(store, runId);
    const answers = await store.entries(answerSpace(runId));
    for (const question of pendingOf(events)) {
      if (question.kind !== 'input') continue;
      const given = answers.get(question.id);
      const isAnswered = given !== undefined && prompt !== undefined && isSame(given, question, prompt);
      if (given === undefined || isAnswered) {
        asked.push({ runId, question, isAnswered, at: askedAt(events, question.id) });
      }
    }
  }
  return asked.sort((one, other) => one.at - other.at)[0];
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
