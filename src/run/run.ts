import { reasonOf } from '../core/error.ts';
import type { RunStarted } from '../core/event.ts';
import { Execution, type Stop } from './execution.ts';
import { invoke } from './invoke.ts';
import type { Listener } from './journal.ts';
import type { Kernel } from './kernel.ts';
import { select } from './select.ts';

/** What a run is executed with. */
export interface RunOptions {
  /** What a new run begins with; absent to take up one that began before. */
  readonly begin?: RunStarted;
  /** Hears of every event, those of earlier processes first. */
  readonly listener?: Listener;
  readonly signal?: AbortSignal;
}

/** Works on a run until it ends, waits for a person, or is lost to another process. */
export async function executeRun(kernel: Kernel, runId: string, options: RunOptions): Promise<Stop> {
  const { listener, signal } = options;
  for (let begin = options.begin; ; begin = undefined) {
    const execution = await Execution.open(kernel, runId, begin, listener);
    if (execution.state.isEnded) return { why: 'ended' }; // between the look at it and the claim
    const cancel = (): void => void execution.cancel(reasonOf(signal?.reason));
    signal?.addEventListener('abort', cancel);
    try {
      const stop = await execution.work(begin, () => answer(execution, signal));
      if (stop.why !== 'answered') return stop;
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }
}

/** select · invoke */
async function answer(execution: Execution, signal: AbortSignal | undefined): ReturnType<typeof invoke> {
  const { started } = execution.state;
  if (signal?.aborted === true) void execution.cancel(reasonOf(signal.reason));
  const skill = await select(execution, started?.skill ?? '');
  return invoke(execution, execution.top, skill, started?.input ?? null);
}
