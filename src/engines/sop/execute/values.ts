import { AgentError, freeze, optional, renamedMembers, type Json } from '../../../core/index.ts';
import type {
  CheckedPlan,
  CheckedStep,
  Clock,
  SopEvent,
  SopOptions,
  SopStatus,
  StepValue,
} from '../index.ts';
import { stoppedValue, type PlanStop } from './end.ts';
import { answerName, type ValueSlot, type StepWork } from './work.ts';

const eventMembers = renamedMembers({ isKept: 'isReused' }, 'SopEvent');

/** A collector of the values of a plan's variables. It reports each value to the host. */
export interface PlanValues {
  /** Returns the value of a variable that succeeded. */
  find(variable: string): Json;
  /** Sets a variable's value. */
  settle(step: CheckedStep, settled: Settled): void;
  /** Sets how many items a step has. The step has a value once all its items have values. */
  expect(step: CheckedStep, count: number): void;
  begin(work: StepWork): void;
  /** Sets the value of a step or item. Returns true if the step's variable now has a value. */
  take(slot: ValueSlot, settled: Settled): boolean;
  /** Cancels every step and item that has no value yet. */
  cancelRest(stop: PlanStop): void;
  /** The questions that are waiting for an answer, keyed by the names that answers use. */
  readonly questions: ReadonlyMap<string, Json>;
}

/** Creates a collector that stores the variables' values in `values`. */
export function createPlanValues(
  { steps }: CheckedPlan,
  values: Map<string, StepValue>,
  reporter: PlanReporter,
): PlanValues {
  const items = new Map<CheckedStep, { readonly values: StepValue[]; missing: number }>();
  const openItems = new Set<ValueSlot>();
  const questions = new Map<string, Json>();

  const settle = (step: CheckedStep, settled: Settled): void => {
    values.set(step.name, settled.value);
    reporter.ended(step, settled);
  };

  const takeItem = (step: CheckedStep, index: number, settled: Settled): boolean => {
    reporter.ended(step, settled, index);
    const all = items.get(step);
    if (all === undefined) return false;
    all.values[index] = settled.value;
    all.missing -= 1;
    if (all.missing > 0) return false;
    settle(step, { value: joinItems(step.name, all.values) });
    return true;
  };

  return {
    questions,
    find(variable) {
      const value = values.get(variable);
      if (value?.status === 'success') return value.value;
      throw new AgentError('internal.bug', `@${variable} was read before it had a value.`);
    },
    settle,
    expect: (step, count) => void items.set(step, { values: [], missing: count }),
    begin(work) {
      if (work.index !== undefined) openItems.add(work);
      reporter.started(work);
    },
    take(slot, settled) {
      const { step, index } = slot;
      const { value } = settled;
      openItems.delete(slot);
      if (value.status === 'undefined' && value.question !== undefined)
        questions.set(answerName(slot), value.question);
      if (index !== undefined) return takeItem(step, index, settled);
      settle(step, settled);
      return true;
    },
    cancelRest(stop) {
      for (const { step, index } of openItems)
        reporter.ended(step, { value: stoppedValue(step.name, stop) }, index);
      for (const step of steps)
        if (!values.has(step.name)) settle(step, { value: stoppedValue(step.name, stop) });
    },
  };
}

/**
 * Combines the values of a step's items into a list. If an item did not succeed, returns its value instead.
 * Pure.
 */
function joinItems(variable: string, items: readonly StepValue[]): StepValue {
  for (const [index, item] of items.entries()) {
    if (item.status !== 'fail') continue;
    const error = { ...item.error, message: `item ${index}: ${item.error.message}` };
    return { status: 'fail', error, origin: variable };
  }
  for (const [index, item] of items.entries()) {
    if (item.status === 'undefined')
      return { ...item, reason: `item ${index}: ${item.reason}`, origin: variable };
  }
  const list = items.map((item) => (item.status === 'success' ? item.value : null));
  return { status: 'success', value: freeze(list) };
}

/** Returns the variables of a plan that have a value, in plan order. */
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

/** The value of a step, and whether it comes from an earlier run. */
export interface Settled {
  readonly value: StepValue;
  readonly isReused?: true;
}

/** A reporter of events to the host. It reads the clock only if there is a listener. */
interface PlanReporter {
  planStarted(script: string): void;
  started(work: StepWork): void;
  ended(step: CheckedStep, settled: Settled, index?: number): void;
  planEnded(status: SopStatus): void;
}

/** Creates a reporter for the listener in the options. Does not catch errors that the listener throws. */
export function createPlanReporter(options: SopOptions, clock: Clock): PlanReporter {
  const emit = (event: SopEvent): void => options.onEvent?.(Object.defineProperties(event, eventMembers));
  const at = (): number => (options.onEvent === undefined ? 0 : clock.now());
  const ofStep = (
    { name, command }: CheckedStep,
    index: number | undefined,
  ): { variable: string; index?: number; command: string } => ({
    variable: name,
    ...optional('index', index),
    command,
  });
  return {
    planStarted: (script) => emit({ at: at(), type: 'plan.started', script }),
    started({ step, index, bound }) {
      const { input } = bound;
      const comment = optional('comment', step.comment);
      emit({ at: at(), type: 'step.started', ...ofStep(step, index), input, ...comment });
    },
    ended: (step, settled, index) =>
      emit({ at: at(), type: 'step.ended', ...ofStep(step, index), ...settled }),
    planEnded: (status) => emit({ at: at(), type: 'plan.ended', status }),
  };
}
