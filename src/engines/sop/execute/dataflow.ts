import { isJsonObject, type Json } from '../../../core/index.ts';
import { lookInto, type CheckedPlan, type CheckedStep, type StepValue } from '../index.ts';

/**
 * A decision about a step. If `value` is set, the step has that value and does not run. Otherwise, the step
 * can run now.
 */
export interface StepDecision {
  readonly step: CheckedStep;
  readonly value?: StepValue;
}

/** Decides which steps can run next. Never changes the plan. */
interface Dataflow {
  /** Returns the decisions that are possible before any step has run, in plan order. */
  begin(): readonly StepDecision[];
  /** Returns the decisions that become possible once a variable has a value, in plan order. */
  follow(variable: string): readonly StepDecision[];
}

/**
 * Creates the dataflow of a plan. The dataflow makes one decision about each step. The caller sets the
 * values, including `input`.
 */
export function createDataflow(plan: CheckedPlan, values: ReadonlyMap<string, StepValue>): Dataflow {
  const declared = new Set(plan.steps.map(({ name }) => name));
  const missing = new Map<CheckedStep, number>();
  const dependents = new Map<string, CheckedStep[]>([...declared].map((name) => [name, []]));
  for (const step of plan.steps) {
    const needs = step.needs.filter((variable) => declared.has(variable));
    missing.set(step, needs.length);
    for (const variable of needs) dependents.get(variable)?.push(step);
  }

  /**
   * Decides about a step if enough values are known. Checks its guard as soon as the guard's variable has a
   * value. The step can run once all its variables have values.
   */
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
 * Returns the value of a step that cannot run because a step that it depends on did not succeed. Returns
 * undefined if the step can run. Ignores the guard. Pure.
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
 * Returns the value of a step that is skipped because of its guard. Returns undefined if the guard does not
 * prevent the step from running. If the guard's variable is waiting for an answer, so is the step. Pure.
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
  const reason = `$${path} is ${isEmpty ? 'empty' : 'not empty'}`;
  return { status: 'canceled', reason, origin: name };
}

function leadsToNothing(value: StepValue, keys: readonly string[]): boolean {
  if (value.status !== 'success') return true;
  const reached = lookInto(value.value, keys);
  return !reached.found || isEmptyValue(reached.value);
}

/** The value of a step that did not succeed. */
type BadValue = Exclude<StepValue, { readonly status: 'success' }>;

/**
 * Returns the reason why a step that depends on this variable cannot run. If an earlier step is the cause,
 * returns the reason of that step.
 */
function reasonFor(variable: string, value: BadValue): string {
  if (value.status === 'fail') return `depends on ${variable}, which failed: ${value.error.message}`;
  if (value.status === 'canceled' || value.origin !== variable) return value.reason;
  return `depends on ${variable}: ${value.reason}`;
}

const emptyTexts: ReadonlySet<string> = new Set(['', 'false', '0']);

/**
 * Whether a guard treats a value as empty. Empty values are null, false, zero, blank strings, the strings
 * "false" and "0", and empty lists and objects.
 */
function isEmptyValue(value: Json): boolean {
  if (typeof value === 'string') return emptyTexts.has(value.trim().toLowerCase());
  if (Array.isArray(value)) return value.length === 0;
  if (isJsonObject(value)) return Object.keys(value).length === 0;
  return value === null || value === false || value === 0;
}

/** Whether a step has asked a question that is still unanswered. */
export function isAsking(value: StepValue | undefined): boolean {
  return value?.status === 'undefined' && value.question !== undefined;
}
