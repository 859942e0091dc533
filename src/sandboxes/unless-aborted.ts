import { untilAborted } from '../core/until-aborted.ts';

/** Waits for something unless a signal ends the wait first, with its reason; what comes later is given to `onLate`. */
export async function unlessAborted<Value>(
  coming: Promise<Value>,
  signal: AbortSignal,
  onLate: (value: Value) => void,
): Promise<Value> {
  try {
    return await untilAborted(signal, coming);
  } catch (thrown) {
    coming.then(onLate, () => undefined); // nobody waits for why it did not come
    throw thrown;
  }
}
