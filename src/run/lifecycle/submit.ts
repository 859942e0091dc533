import { pause, type RunStarted } from '../../core/index.ts';
import type { Kernel } from '../kernel.ts';
import { amend } from './cancel.ts';
import { noSuchRun } from './stop.ts';

const space = 'run-starts';
const longestStart = 30_000; // The time after which another process may record the request, in milliseconds.
const lookEvery = 50;

/**
 * Records a request without executing it. Does nothing if a run with this id has begun. If several callers
 * record the same id at the same time, the first one wins.
 */
export async function recordRequest(kernel: Kernel, runId: string, begin: RunStarted): Promise<void> {
  const { store, version, closing } = kernel;
  if (await isRecorded(kernel, runId)) return;
  const body = { ...begin, version };
  const giveUpAt = Date.now() + 2 * longestStart;
  while (!(await store.add(space, runId, true, longestStart))) {
    await pause(lookEvery, closing);
    if (await isRecorded(kernel, runId)) return;
    if (closing.aborted || Date.now() > giveUpAt) throw noSuchRun(runId);
  }
  if (await isRecorded(kernel, runId)) return;
  await amend(kernel, runId, () => [{ frameId: '', body }]);
  const [run] = await store.runs({ ids: [runId] });
  if (run !== undefined) await store.release(new Map([[runId, run.epoch]]));
  await store.delete(space, runId);
}

async function isRecorded({ store }: Kernel, runId: string): Promise<boolean> {
  const [run] = await store.runs({ ids: [runId] });
  return run !== undefined && run.seq > 0;
}
