import { timer } from '../../core/async.ts';

/** A timer for working time, which can be paused. */
export interface WorkingTime {
  /** Pauses the timer. Each pause needs a matching call to `go`. */
  pause(): void;
  go(): void;
  stop(): void;
}

/** Starts a timer. It calls `onOver` after the given milliseconds, not counting pauses. */
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

/** A clock for working time, which can be stopped and started again. */
export interface WorkClock {
  start(): void;
  stop(): void;
}

/** Creates a stopped clock that calls `onOver` once after the given milliseconds of working time. */
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
