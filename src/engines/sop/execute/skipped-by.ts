import type { CheckedStep } from '../checked-plan.ts';
import { isEmptyValue } from './is-empty-value.ts';
import { lookInto } from '../reach-into.ts';
import { reasonFor } from './reason-for.ts';
import type { StepValue } from '../step-value.ts';
import { isAsking } from './is-asking.ts';

/**
 * What a step comes to when its guard skips it, now that the variable of the guard has a value; undefined lets it
 * happen. Where that value depends on an answer that is not there yet, the step waits for it as well. Pure.
 */
export function skippedBy(
  { name, guard, when }: CheckedStep,
  values: ReadonlyMap<string, StepValue>,
): StepValue | undefined {
  const value = guard === undefined ? undefined : values.get(guard.variable);
  if (guard === undefined || value === undefined) return undefined;
  if (value.status === 'undefined' && isAsking(values.get(value.origin)))
    return { status: 'undefined', reason: reasonFor(guard.variable, value), origin: value.origin };

  const isEmpty = leadsToNothing(value, guard.keys);
  if (isEmpty === guard.isNegated) return undefined;
  const path = when?.of.path ?? guard.variable;
  const reason = `skipped: $${path} is ${isEmpty ? 'empty' : 'not empty'}`;
  return { status: 'canceled', reason, origin: name };
}

function leadsToNothing(value: StepValue, keys: readonly string[]): boolean {
  if (value.status !== 'success') return true;
  const reached = lookInto(value.value, keys);
  return !reached.found || isEmptyValue(reached.value);
}
