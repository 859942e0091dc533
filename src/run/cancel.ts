import type { ErrorData } from '../core/error.ts';
import { failedOutput } from './clean.ts';
import { Journal } from './journal.ts';
import type { Kernel } from './kernel.ts';

/** Ends a run wherever it is: here, in another process, which then cannot write any more, or nowhere. Tells whether it was open. */
export async function cancelRun(
  kernel: Kernel,
  runId: string,
  reason = 'The run was cancelled.',
): Promise<boolean> {
  const here = await kernel.live.find(runId);
  if (here !== undefined && (await here.cancel(reason))) return true;
  const { store, owner, now, redact } = kernel;
  if ((await store.runs({ ids: [runId] })).length === 0) return false;
  const { promise: broken, reject } = Promise.withResolvers<never>();
  const journal = await Journal.open(runId, { store, owner, now, onBroken: reject });
  const { state } = journal;
  if (state.isEnded) return false;
  const error: ErrorData = { code: 'usage.cancelled', message: redact(reason) };
  const output = failedOutput(error);
  const open = [...state.openBelow('')].sort((one, other) => other.started.depth - one.started.depth);
  const ends = open.map(({ id }) => ({ frameId: id, body: { type: 'frame.ended', output } as const }));
  const end = { frameId: '', body: { type: 'run.ended', status: 'cancelled', output } as const };
  await Promise.race([journal.addAll([...ends, end]), broken]);
  return true;
}
