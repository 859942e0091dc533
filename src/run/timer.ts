const longest = 2 ** 31 - 1; // milliseconds; a longer timer would fire at once

/** Calls a function after so many milliseconds, unless its scope ends or the signal is aborted before. */
export function timer(milliseconds: number, act: () => void, signal?: AbortSignal): Disposable {
  const handle = setTimeout(act, Math.min(Math.max(0, milliseconds), longest));
  const stop = (): void => {
    clearTimeout(handle);
    signal?.removeEventListener('abort', stop);
  };
  signal?.addEventListener('abort', stop);
  return { [Symbol.dispose]: stop };
}

/** Resolves after so many milliseconds. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
