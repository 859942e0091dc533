import { optional, pause, type Actor, type Output, type RunStarted } from '../../core/index.ts';
import type { Kernel } from '../kernel.ts';
import { Journal, type Addition } from '../log/journal.ts';
import type { RunState } from '../log/run-state.ts';
import { failedOutput } from '../log/sanitize.ts';
import { cancelReason } from './run-end.ts';
import { noSuchRun } from './stop.ts';

/**
 * Ends a run, even if another process is working on it. That process can then no longer write to the run.
 * Resolves to true if the run was open.
 */
export async function cancelRun(
  kernel: Kernel,
  runId: string,
  reason?: string,
  actor?: Actor,
): Promise<boolean> {
  const here = await kernel.live.find(runId);
  if (here !== undefined && (await here.cancel(reason, actor))) return true;
  if ((await kernel.store.runs({ ids: [runId] })).length === 0) return false;
  const output = failedOutput({ code: 'usage.cancelled', message: kernel.redact(cancelReason(reason)) });
  return amend(kernel, runId, (state) => (state.isEnded ? [] : endsOf(state, output, actor)));
}

/** Returns the end events of all open frames, deepest first, followed by the end event of the run. */
function endsOf(state: RunState, output: Output, actor: Actor | undefined): readonly Addition[] {
  const open = [...state.openBelow('')].sort((one, other) => other.started.depth - one.started.depth);
  return [
    ...open.map(({ id }): Addition => ({ frameId: id, body: { type: 'frame.ended', output } })),
    { frameId: '', body: { type: 'run.ended', status: 'cancelled', output, ...optional('actor', actor) } },
  ];
}

/**
 * Claims a run and adds the events that `additions` returns for its current state, without continuing the
 * run. Resolves to true if any events were added.
 */
export async function amend(
  { store, owner, now }: Kernel,
  runId: string,
  additions: (state: RunState) => readonly Addition[],
): Promise<boolean> {
  const { promise: broken, reject } = Promise.withResolvers<never>();
  const journal = await Journal.open(runId, { store, owner, now, onBroken: reject });
  const added = additions(journal.state);
  if (added.length === 0) return false;
  await Promise.race([journal.addAll(added), broken]);
  return true;
}

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
