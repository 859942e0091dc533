import { setTimeout as pause } from 'node:timers/promises';
import { isAgentError } from '../core/error.ts';
import { tryLock } from './generation-lock.ts';
import { makePlace, notWritable, placeOf, type GenerationPlace } from './generation-place.ts';
import { finishSwap } from './swap.ts';

/** Works on the generated code of a skill while nobody else does, in no other process either; `onWait` is called once when somebody else is at it. What a killed process left half done is finished first. Throws the signal's reason, or `skill.failed` where nothing can be written. */
export async function withGeneration<Result>(
  dir: string,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait?: () => void },
  work: () => Promise<Result>,
): Promise<Result> {
  const place = placeOf(dir);
  using _lock = await waitForLock(place, signal, onWait);
  await inPlace(place, () => finishSwap(place));
  return await work();
}

const rhythm = 25; // milliseconds between two tries

async function waitForLock(
  place: GenerationPlace,
  signal: AbortSignal,
  onWait: (() => void) | undefined,
): Promise<Disposable> {
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted();
    makePlace(place);
    const lock = await inPlace(place, () => tryLock(place));
    if (lock !== undefined && !signal.aborted) return lock;
    lock?.[Symbol.dispose]();
    if (tries === 0) onWait?.();
    await wait(signal);
  }
}

async function wait(signal: AbortSignal): Promise<void> {
  try {
    await pause(rhythm, undefined, { signal });
  } catch {
    signal.throwIfAborted(); // with its own reason instead of the timer's
  }
}

async function inPlace<Value>(place: GenerationPlace, work: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    throw isAgentError(thrown) ? thrown : notWritable(place.bundle, place.folder, thrown);
  }
}
