import { createWorkClock } from './work-clock.ts';

/** A clock that runs out, unless it is stopped; it stands still while something is waited for. */
export interface WorkingTime {
  /** Something is waited for; each has its `go`. */
  pause(): void;
  go(): void;
  stop(): void;
}

/** Starts such a clock. */
export function startWorkingTime(milliseconds: number, onOver: () => void): WorkingTime {
  const clock = createWorkClock(milliseconds, onOver);
  let pauses = 0;
  clock.start();
  return {
    pause() {
      pauses += 1;
      clock.stop();
    },
    go() {
      pauses -= 1;
      if (pauses === 0) clock.start();
    },
    stop() {
      pauses = Infinity;
      clock.stop();
    },
  };
}
