import type { Clock } from '../sop-options.ts';

const longest = 2 ** 31 - 1; // milliseconds; a timer with more fires at once

/** The time of the machine; a wait keeps the process alive until it is over or called off. */
export const realClock: Clock = {
  now: () => Date.now(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      const stop = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
        resolve();
      };
      const timer = setTimeout(stop, Math.min(ms, longest));
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
    }),
};
