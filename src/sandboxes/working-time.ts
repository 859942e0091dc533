/** A clock that runs out, unless it is stopped; it stands still while something is waited for. */
export interface WorkingTime {
  /** Something is waited for; each has its `go`. */
  pause(): void;
  go(): void;
  stop(): void;
}

/** Starts such a clock. */
export function startWorkingTime(milliseconds: number, onOver: () => void): WorkingTime {
  let left = milliseconds;
  let pauses = 0;
  let since = performance.now();
  let timer = setTimeout(onOver, left);
  return {
    pause() {
      pauses += 1;
      if (pauses > 1) return;
      clearTimeout(timer);
      left -= performance.now() - since;
    },
    go() {
      pauses -= 1;
      if (pauses > 0) return;
      since = performance.now();
      timer = setTimeout(onOver, Math.max(0, left));
    },
    stop() {
      pauses = Infinity;
      clearTimeout(timer);
    },
  };
}
