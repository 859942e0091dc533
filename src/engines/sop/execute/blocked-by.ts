import type { CheckedStep } from '../checked-plan.ts';
import { reasonFor, type BadValue } from './reason-for.ts';
import type { StepValue } from '../step-value.ts';

/**
 * What a step comes to because something that it needs did not succeed; undefined when it can run. A guard is no need:
 * it lets the step happen or not. Pure.
 */
export function blockedBy(step: CheckedStep, values: ReadonlyMap<string, StepValue>): StepValue | undefined {
  const own = new Set(step.values);
  const bad = step.needs
    .filter((variable) => own.has(variable) || step.list?.variable === variable)
    .map((variable) => ({ variable, value: values.get(variable) }))
    .filter((need): need is { variable: string; value: BadValue } => isBad(need.value));
  const [first] = bad;
  if (first === undefined) return undefined;
  const { origin } = first.value;
  const isCanceled = bad.every(({ value }) => value.status === 'canceled');
  return {
    status: isCanceled ? 'canceled' : 'undefined',
    reason: reasonFor(first.variable, first.value),
    origin,
  };
}

function isBad(value: StepValue | undefined): boolean {
  return value !== undefined && value.status !== 'success';
}
