import { blockedBy } from './blocked-by.ts';
import type { CheckedPlan, CheckedStep } from '../checked-plan.ts';
import { skippedBy } from './skipped-by.ts';
import type { StepValue } from '../step-value.ts';

/** Something that became of a step without it having run: a value, or without one its turn to run. */
export interface Decision {
  readonly step: CheckedStep;
  readonly value?: StepValue;
}

/** Which steps come next, and by that alone: it neither runs nor keeps anything. */
export interface Dataflow {
  /** What can be said of steps before anything ran, in the order of the plan. */
  begin(): readonly Decision[];
  /** What follows for others from a variable that has just got its value, in the order of the plan. */
  follow(variable: string): readonly Decision[];
}

/** The dataflow of a plan over values that somebody else fills in, `input` included; each step is decided once. */
export function createDataflow(plan: CheckedPlan, values: ReadonlyMap<string, StepValue>): Dataflow {
  const declared = new Set(plan.steps.map(({ name }) => name));
  const missing = new Map<CheckedStep, number>();
  const dependents = new Map<string, CheckedStep[]>([...declared].map((name) => [name, []]));
  for (const step of plan.steps) {
    const needs = step.needs.filter((variable) => declared.has(variable));
    missing.set(step, needs.length);
    for (const variable of needs) dependents.get(variable)?.push(step);
  }

  /** A guard is looked at as soon as its variable has a value; whatever else a step needs has to be there as a whole. */
  const decide = (step: CheckedStep): readonly Decision[] => {
    const left = missing.get(step);
    if (left === undefined) return [];
    const value = skippedBy(step, values) ?? (left === 0 ? blockedBy(step, values) : undefined);
    if (value === undefined && left > 0) return [];
    missing.delete(step);
    return [value === undefined ? { step } : { step, value }];
  };

  return {
    begin: () => plan.steps.flatMap(decide),
    follow: (variable) =>
      (dependents.get(variable) ?? []).flatMap((step) => {
        const left = missing.get(step);
        if (left !== undefined) missing.set(step, left - 1);
        return decide(step);
      }),
  };
}
