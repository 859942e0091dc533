import type { ApprovalRequest } from '../core/policy.ts';
import type { RunSummary, Store } from '../core/store.ts';
import { openQuestions, readLog } from '../run/log/read-log.ts';
import { answerSpace } from '../run/questions/answers.ts';
import { foldRun } from '../views/run-tree.ts';

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
