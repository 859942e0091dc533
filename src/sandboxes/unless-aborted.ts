/** Waits for something unless a signal ends the wait first, with its reason; what comes later is given to `onLate`. */
export async function unlessAborted<Value>(
  coming: Promise<Value>,
  signal: AbortSignal,
  onLate: (value: Value) => void,
): Promise<Value> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason as Error);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([coming, aborted.promise]);
  } catch (thrown) {
    coming.then(onLate, () => undefined); // nobody waits for why it did not come
    throw thrown;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
