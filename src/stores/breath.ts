import { setImmediate as turn } from 'node:timers/promises';

const longestBreath = 10; // milliseconds

/** Work that is done at once, which lets the event loop turn now and then, however many calls follow each other. */
export interface Breath {
  /** To be awaited after each piece of work. */
  take(): Promise<void> | undefined;
}

/** A breath that is taken at most every 10 milliseconds; the first one at once. */
export function createBreath(): Breath {
  let last = 0;

  return {
    take() {
      if (performance.now() - last < longestBreath) return undefined;
      return turn().then(() => void (last = performance.now()));
    },
  };
}
