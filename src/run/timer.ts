const longest = 2 ** 31 - 1; // milliseconds; a longer timer would fire at once

/** Calls a function after so many milliseconds, unless its scope ends before. */
export function timer(milliseconds: number, act: () => void): Disposable {
  const handle = setTimeout(act, Math.min(Math.max(0, milliseconds), longest));
  return {
    [Symbol.dispose]() {
      clearTimeout(handle);
    },
  };
}

/** Resolves after so many milliseconds. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
