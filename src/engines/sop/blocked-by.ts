import type { CheckedStep } from './checked-plan.ts';
import type { StepValue } from './step-value.ts';

type Find = (variable: string) => StepValue | undefined;
type Bad = Exclude<StepValue, { readonly status: 'success' }>;

/**
 * What a step comes to because something that it needs did not succeed; undefined when it can run. A guard is no need:
 * it lets the step happen or not, whatever became of its variable. Pure.
 */
export function blockedBy(step: CheckedStep, find: Find): StepValue | undefined {
  const values = new Set(step.values);
  const bad = step.needs
    .filter((variable) => values.has(variable) || step.list?.variable === variable)
    .map((variable) => ({ variable, value: find(variable) }))
    .filter((need): need is { variable: string; value: Bad } => isBad(need.value));
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

/** What began further up is told as it was there. */
function reasonFor(variable: string, value: Bad): string {
  if (value.status === 'fail') return `waits for ${variable}, which failed: ${value.error.message}`;
  if (value.status === 'canceled' || value.origin !== variable) return value.reason;
  return `waits for ${variable}: ${value.reason}`;
}
