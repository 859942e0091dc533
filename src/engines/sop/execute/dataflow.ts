import { isJsonObject, type Json } from '../../../core/index.ts';
import { lookInto, type CheckedPlan, type CheckedStep, type StepValue } from '../index.ts';

/** Something that became of a step without it having run: a value, or without one its turn to run. */
export interface StepDecision {
  readonly step: CheckedStep;
  readonly value?: StepValue;
}

/** Which steps come next, and by that alone: it neither runs nor keeps anything. */
interface Dataflow {
  /** What can be said of steps before anything ran, in the order of the plan. */
  begin(): readonly StepDecision[];
  /** What follows for others from a variable that has just got its value, in the order of the plan. */
  follow(variable: string): readonly StepDecision[];
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
  const decide = (step: CheckedStep): readonly StepDecision[] => {
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

/**
 * What a step comes to because something that it needs did not succeed; undefined when it can run. A guard is no need:
 * it lets the step happen or not. Pure.
 */
function blockedBy(step: CheckedStep, values: ReadonlyMap<string, StepValue>): StepValue | undefined {
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

/**
 * What a step comes to when its guard skips it, now that the variable of the guard has a value; undefined lets it
 * happen. Where that value depends on an answer that is not there yet, the step waits for it as well. Pure.
 */
function skippedBy(
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

/** A value that is not success. */
type BadValue = Exclude<StepValue, { readonly status: 'success' }>;

/** Why a step does not run that depends on a variable with this value; what began further up is told as it was there. */
function reasonFor(variable: string, value: BadValue): string {
  if (value.status === 'fail') return `waits for ${variable}, which failed: ${value.error.message}`;
  if (value.status === 'canceled' || value.origin !== variable) return value.reason;
  return `waits for ${variable}: ${value.reason}`;
}

const emptyTexts: ReadonlySet<string> = new Set(['', 'false', '0']);

/** Whether a guard takes a value for nothing: null, false, zero, text that says so or is blank, and what has no members. */
function isEmptyValue(value: Json): boolean {
  if (typeof value === 'string') return emptyTexts.has(value.trim().toLowerCase());
  if (Array.isArray(value)) return value.length === 0;
  if (isJsonObject(value)) return Object.keys(value).length === 0;
  return value === null || value === false || value === 0;
}

/** Whether a step has asked something that nobody has answered yet. */
export function isAsking(value: StepValue | undefined): boolean {
  return value?.status === 'undefined' && value.question !== undefined;
}
