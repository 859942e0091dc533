import type { CheckedPlan } from '../checked-plan.ts';
import type { StepValue } from '../step-value.ts';

/** The variables of a plan that have a value by now, in its order. */
export function variablesOf(
  { steps }: CheckedPlan,
  values: ReadonlyMap<string, StepValue>,
): Readonly<Record<string, StepValue>> {
  return Object.fromEntries(
    steps.flatMap(({ name }) => {
      const value = values.get(name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
