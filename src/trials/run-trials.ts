import { runTrial, type TrialResult } from './run-trial.ts';
import type { TrialGround } from './trial-ground.ts';
import type { Trial } from './trial.ts';

/** How cases are run together. */
export interface TrialsOptions {
  /** How many at once. */
  readonly lanes: number;
  /** Begin no other once one has failed. */
  readonly bail: boolean;
  /** Hears each result, in the order of the cases. */
  readonly onResult: (result: TrialResult) => void;
}

/** Runs cases beside each other; resolves with the results of those that were begun, in the order of the cases. */
export async function runTrials(
  trials: readonly Trial[],
  ground: TrialGround,
  { lanes, bail, onResult }: TrialsOptions,
): Promise<readonly TrialResult[]> {
  const results = new Map<number, TrialResult>();
  let next = 0;
  let told = 0;
  let isOver = false;
  const work = async (): Promise<void> => {
    while (next < trials.length && !isOver && !ground.signal.aborted) {
      const index = next++;
      const trial = trials[index];
      if (trial === undefined) return;
      const result = await runTrial(trial, ground);
      results.set(index, result);
      if (bail && !result.ok) isOver = true;
      for (let ready = results.get(told); ready !== undefined; ready = results.get(told)) {
        onResult(ready);
        told++;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, trials.length) }, work));
  return trials.flatMap((_, index) => results.get(index) ?? []);
}
