import type { CheckedStep } from './checked-plan.ts';
import { isEmptyValue } from './is-empty-value.ts';
import { lookInto } from './reach-into.ts';
import type { StepValue } from './step-value.ts';

/** What a step comes to when its guard skips it, now that the variable of the guard has a value; undefined lets it happen. */
export function skippedBy({ name, guard, when }: CheckedStep, value: StepValue): StepValue | undefined {
  if (guard === undefined) return undefined;
  const isEmpty = leadsNowhere(value, guard.keys);
  if (isEmpty === guard.isNegated) return undefined;
  const path = when?.of.path ?? guard.variable;
  const reason = `skipped: $${path} is ${isEmpty ? 'empty' : 'not empty'}`;
  return { status: 'canceled', reason, origin: name };
}

function leadsNowhere(value: StepValue, keys: readonly string[]): boolean {
  if (value.status !== 'success') return true;
  const reached = lookInto(value.value, keys);
  return !reached.found || isEmptyValue(reached.value);
}
