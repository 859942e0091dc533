const longestTimer = 2 ** 31 - 1; // milliseconds; nobody sits there for longer

/** A signal that is aborted at a moment, in milliseconds since 1970, unless it is disposed of before; never without one. */
export function untilLate(expires: number | undefined): Disposable & { readonly signal: AbortSignal } {
  const late = new AbortController();
  const left = (expires ?? Infinity) - Date.now();
  const timer = left > longestTimer ? undefined : setTimeout(() => late.abort(), Math.max(0, left));
  return { signal: late.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}
