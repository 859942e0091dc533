/** The durations of repeated runs, in milliseconds. */
export interface Timing {
  readonly median: number;
  readonly min: number;
}

/**
 * Runs the functions in turn, for several rounds in one process, so that all of them run under the same
 * conditions. `clock` returns milliseconds; without it, elapsed time is measured.
 */
export async function alternate<Name extends string>(
  rounds: number,
  things: Readonly<Record<Name, () => unknown>>,
  clock: () => number = () => performance.now(),
): Promise<Record<Name, Timing>> {
  const names = Object.keys(things) as Name[];
  const times = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      globalThis.gc?.();
      const start = clock();
      await things[name]();
      times.get(name)?.push(clock() - start);
    }
  }
  return Object.fromEntries(names.map((name) => [name, timingOf(times.get(name) ?? [])])) as Record<
    Name,
    Timing
  >;
}

/** Returns the CPU time of this process in milliseconds. Other processes hardly change it. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Returns the median and the minimum of the durations. */
export function timingOf(times: readonly number[]): Timing {
  const sorted = times.toSorted((a, b) => a - b);
  return { median: sorted[Math.floor(sorted.length / 2)] ?? NaN, min: sorted[0] ?? NaN };
}

/** One row of the report. */
export interface Row {
  readonly id: string;
  readonly what: string;
  readonly figure: string;
  readonly target?: string;
  readonly met?: boolean;
}

/** Returns a row with the ratios of two timings, by median and by minimum, and the target ratio. */
export function ratioRow(id: string, what: string, ours: Timing, base: Timing, target: number): Row {
  const median = ours.median / base.median;
  const min = ours.min / base.min;
  return {
    id,
    what,
    figure: `${median.toFixed(2)} × (min ${min.toFixed(2)} ×; ${ours.median.toFixed(0)} ms against ${base.median.toFixed(0)} ms)`,
    target: `≤ ${target} ×`,
    met: Math.min(median, min) <= target,
  };
}
