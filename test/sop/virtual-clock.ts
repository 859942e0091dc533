import type { Clock } from '../../src/engines/sop/plan-run.ts';

/** A clock that advances only when nothing else can happen. */
export interface VirtualClock extends Clock {
  /** Advances the clock until the work has ended. Throws if it waits for anything except time. */
  drive<Result>(work: Promise<Result>): Promise<Result>;
}

/** Creates a clock at zero. Waits of the same length end in the order in which they started. */
export function createVirtualClock(): VirtualClock {
  const waits = new Set<{ readonly until: number; readonly end: () => void }>();
  let time = 0;

  const endNext = (): boolean => {
    let first: { readonly until: number; readonly end: () => void } | undefined;
    for (const wait of waits) if (first === undefined || wait.until < first.until) first = wait;
    if (first === undefined) return false;
    time = first.until;
    first.end();
    return true;
  };

  return {
    now: () => time,
    wait: (ms, signal) =>
      new Promise((resolve) => {
        const end = (): void => {
          waits.delete(wait);
          resolve();
        };
        const wait = { until: time + ms, end };
        waits.add(wait);
        signal.addEventListener('abort', end, { once: true });
        if (signal.aborted) end();
      }),
    async drive(work) {
      let isOver = false;
      const end = (): void => {
        isOver = true;
      };
      work.then(end, end);
      while (true) {
        await new Promise((resolve) => setImmediate(resolve)); // by then, everything that needs no time has happened
        if (isOver) return work;
        if (!endNext()) throw new Error('The work waits for something that never happens.');
      }
    },
  };
}
