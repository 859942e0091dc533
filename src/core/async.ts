const longest = 2 ** 31 - 1; // milliseconds; a longer one fires at once, so it is set again and again

/** Calls a function after so many milliseconds, unless its scope ends or the signal is aborted before or already. */
export function timer(milliseconds: number, act: () => void, signal?: AbortSignal): Disposable {
  if (signal?.aborted === true) return { [Symbol.dispose]: () => undefined };
  const end = performance.now() + milliseconds;
  const wait = (): NodeJS.Timeout =>
    setTimeout(ring, Math.min(Math.max(0, end - performance.now()), longest));
  const ring = (): void => {
    if (end - performance.now() > 1) handle = wait();
    else act();
  };
  let handle = wait();
  const stop = (): void => {
    clearTimeout(handle);
    signal?.removeEventListener('abort', stop);
  };
  signal?.addEventListener('abort', stop);
  return { [Symbol.dispose]: stop };
}

/** Calls a function when a signal is aborted, until its scope ends; nothing happens for one that is aborted already. */
export function onAbort(signal: AbortSignal | undefined, act: () => void): Disposable {
  signal?.addEventListener('abort', act, { once: true });
  return { [Symbol.dispose]: () => signal?.removeEventListener('abort', act) };
}

/** Resolves after so many milliseconds, or when the signal is aborted. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const end = (): void => {
    resolve(undefined);
  };
  using _clock = timer(milliseconds, end);
  using _signal = onAbort(signal, end);
  await promise;
}

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

/**
 * The outcome of work, or the reason of the signal as soon as it is aborted: what a stopped call waits for does not
 * settle any more, and what it holds must be let go all the same.
 */
export async function untilAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => {
    reject(signal.reason as Error);
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
