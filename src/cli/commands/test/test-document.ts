import { optional } from '../../../core/collections.ts';
import type { CaseFault } from '../../../evals/eval.ts';
import type { TrialResult } from '../../../evals/run-eval.ts';
import type { Invocation } from '../../command.ts';

/** The results as `skilled test --json` prints them. */
export function testDocument(
  results: readonly TrialResult[],
  faults: readonly CaseFault[],
  { own }: Invocation,
): object {
  const shown = results.map(({ trial, ok, milliseconds, mismatches, runIds }) => ({
    ...{ skill: trial.skill, name: trial.name, file: trial.file, line: trial.line },
    ...{ ok, milliseconds, mismatches },
    ...optional('runIds', own['keep'] === true ? runIds : undefined),
  }));
  return { ok: faults.length === 0 && results.every(({ ok }) => ok), results: shown, faults };
}
