import { reasonOf, toErrorData } from '../core/error.ts';
import { optional } from '../core/optional.ts';
import { cancelRun } from './cancel.ts';
import { dropOldTurns } from './conversation.ts';
import { Execution, type OpenOptions } from './execution.ts';
import { isOvertaken, type Stop } from './stop.ts';
import { invoke } from './invoke.ts';
import type { Kernel } from './kernel.ts';
import { nothingFits } from './nothing-fits.ts';
import { select } from './select.ts';
import { summarise } from './summarise.ts';

/** What a run is executed with. */
export interface RunOptions extends OpenOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Works on a run until it ends, waits for a person, or is lost to another process. */
export async function executeRun(kernel: Kernel, runId: string, options: RunOptions): Promise<Stop> {
  kernel.checkSettings?.();
  const { signal, listener } = options;
  let execution = await Execution.open(kernel, runId, options);
  for (let isResumed = false; ; isResumed = true) {
    if (execution.state.isEnded) {
      kernel.live.delete(execution); // it ended between the look at it and the claim
      return { why: 'ended' };
    }
    const stop = await attended(execution, signal);
    // The process that gave the answer may resume the run at the same moment.
    if (isResumed && isOvertaken(stop)) return { why: 'elsewhere' };
    if (signal?.aborted === true && (stop.why === 'waiting' || stop.why === 'answered')) {
      await cancelRun(kernel, runId, reasonOf(signal.reason)); // it was laid down at the same moment
      return { why: 'ended' };
    }
    if (stop.why !== 'answered') return stop;
    try {
      execution = await Execution.open(kernel, runId, { listener, held: execution.held });
    } catch (thrown) {
      const error = toErrorData(thrown);
      return error.code === 'internal.overtaken' ? { why: 'elsewhere' } : { why: 'broken', error };
    }
  }
}

async function attended(execution: Execution, signal: AbortSignal | undefined): Promise<Stop> {
  const cancel = (): void => void execution.cancel(reasonOf(signal?.reason));
  signal?.addEventListener('abort', cancel);
  if (signal?.aborted === true) cancel();
  try {
    return await execution.work(() => answer(execution));
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}

/** select · invoke · summarise */
async function answer(execution: Execution): ReturnType<typeof invoke> {
  await dropOldTurns(execution);
  const { skill, input, target } = await select(execution);
  if (skill === '') return nothingFits(execution, execution.state.started?.prompt ?? '');
  execution.made.adHoc = target;
  const { through, wanted } = execution.state.started ?? {};
  const { check } = execution.kernel;
  const output = await invoke(execution, execution.top, skill, input, {
    ...optional('through', through),
    ...optional('wanted', check === undefined ? wanted : { ...wanted, check }),
  });
  await summarise(execution, output);
  return output;
}
