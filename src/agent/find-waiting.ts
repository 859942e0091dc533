import type { OpenQuestion } from '../core/run.ts';
import type { Store } from '../core/store.ts';
import { answerSpace } from '../run/answers.ts';
import { readLog } from '../run/read-log.ts';
import { pendingOf } from '../views/pending.ts';

/** A question that waits for an answer in words. */
export interface WaitingQuestion {
  readonly runId: string;
  readonly question: OpenQuestion;
}

const mostRuns = 100;

/** The oldest question of a session that asks for input and has no answer yet; approvals are decided elsewhere. */
export async function findWaiting(store: Store, session: string): Promise<WaitingQuestion | undefined> {
  const runs = await store.runs({ session, status: ['waiting'], limit: mostRuns });
  const asked: (WaitingQuestion & { readonly at: number })[] = [];
  for (const { id } of runs) {
    const events = await readLog(store, id);
    const answered = await store.entries(answerSpace(id));
    const question = pendingOf(events).find((one) => one.kind === 'input' && !answered.has(one.id));
    const event = events.find((one) => one.type === 'input.requested' && one.id === question?.id);
    if (question !== undefined) asked.push({ runId: id, question, at: event?.at ?? 0 });
  }
  return asked.sort((one, other) => one.at - other.at)[0];
}
