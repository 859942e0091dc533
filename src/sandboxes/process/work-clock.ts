import { timer } from '../../core/async.ts';

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

/** Measures the time that something works, with pauses. */
export interface WorkClock {
  start(): void;
  stop(): void;
}

/** A clock that stands still, and says once when so many milliseconds have been worked. */
export function createWorkClock(milliseconds: number, onOver: () => void): WorkClock {
  let left = milliseconds;
  let since = 0;
  let running: Disposable | undefined;
  return {
    start() {
      since = performance.now();
      running ??= timer(left, onOver);
    },
    stop() {
      if (running === undefined) return;
      running[Symbol.dispose]();
      running = undefined;
      left -= performance.now() - since;
    },
  };
}
