import { AgentError, optional, type Json } from '../../../core/index.ts';
import { reachInto, type CheckedStep } from '../index.ts';
import type { PlanRecords } from './records.ts';
import type { PlanValues, Settled } from './values.ts';
import { bindWork, failureOf, type ValueSlot, type StepWork } from './work.ts';

/** The receivers of a step's values and work, and the records of earlier results. */
interface Takers {
  readonly planValues: PlanValues;
  readonly records: PlanRecords;
  /** Queues work for which there is no earlier result. */
  add(work: StepWork): void;
}

/** A step that can run, with all its executions. */
interface Offer {
  readonly step: CheckedStep;
  /** Set if the list of items could not be read. */
  readonly failure?: Settled;
  readonly parts: readonly Part[];
}

/** An execution of a step: either work to do or a value from an earlier run. */
interface Part {
  readonly slot: ValueSlot;
  readonly work?: StepWork;
  readonly settled?: Settled;
}

/**
 * Builds the executions of a step and claims their earlier results. When several steps start together, call
 * this function for all of them before calling `offerStep`, so that each step claims its own results first.
 */
export function bindStep(step: CheckedStep, { planValues, records }: Takers): Offer {
  const list = attempt(step, () => (step.list === undefined ? undefined : listOf(step, planValues.find)));
  if ('value' in list) return { step, failure: list, parts: [] };
  const items = list.result?.map((value, index) => ({ value, index })) ?? [undefined];
  const parts = items.map((item): Part => {
    const bound = attempt(step, () => bindWork(step, planValues.find, item));
    if ('value' in bound) return { slot: { step, ...optional('index', item?.index) }, settled: bound };
    const value = isAnswer(step) ? undefined : records.claim(bound.result.execution);
    const reused = value === undefined ? undefined : ({ value, isReused: true } as const);
    return { slot: bound.result, work: bound.result, ...optional('settled', reused) };
  });
  records.release(step.name);
  return { step, parts };
}

/**
 * Sets the values of a step that are already known, and queues the remaining work. Returns true if the step's
 * variable now has a value.
 */
export function offerStep({ step, failure, parts }: Offer, { planValues, records, add }: Takers): boolean {
  if (failure !== undefined || parts.length === 0) {
    planValues.settle(step, failure ?? { value: { status: 'success', value: [] } });
    return true;
  }
  if (step.list !== undefined) planValues.expect(step, parts.length);
  let isSettled = false;
  for (const { slot, work, settled } of parts) {
    const known = settled ?? (work === undefined || isAnswer(step) ? undefined : movedTo(work, records));
    if (known !== undefined) isSettled = planValues.take(slot, known);
    else if (work !== undefined) add(work);
  }
  return isSettled;
}

function movedTo({ execution }: StepWork, records: PlanRecords): Settled | undefined {
  const value = records.claimMoved(execution);
  return value === undefined ? undefined : { value, isReused: true };
}

/** Whether a step provides the plan's answer. Its earlier result is never reused. */
function isAnswer({ runs }: CheckedStep): boolean {
  return runs.isAnswer === true;
}

/** Returns the result of `make`. If it throws, returns the failure as a value for the step. */
function attempt<Result>({ name }: CheckedStep, make: () => Result): { readonly result: Result } | Settled {
  try {
    return { result: make() };
  } catch (thrown) {
    return { value: { status: 'fail', error: failureOf(thrown), origin: name } };
  }
}

/** Returns the list of an `each` step. Throws `usage.bad-input` if it does not exist or is not a list. */
function listOf({ name, list, each }: CheckedStep, find: (variable: string) => Json): readonly Json[] {
  if (list === undefined) return [];
  const value = reachInto(list.variable, find(list.variable), list.keys);
  if (Array.isArray(value)) return value as readonly Json[];
  const path = each?.path ?? list.variable;
  throw new AgentError('usage.bad-input', `@${name} runs for each item of $${path}, which is not a list.`, {
    hint: `Pass a list to "each", or run the command once on $${path}.`,
  });
}
