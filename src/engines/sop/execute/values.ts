import { AgentError, freeze, optional, type Json } from '../../../core/index.ts';
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

/** The values of a plan while they come in, each of which is told to the host. */
export interface Board {
  /** The value of a variable that succeeded. */
  find(variable: string): Json;
  /** Binds a variable. */
  settle(step: CheckedStep, settled: Settled): void;
  /** A step has so many items, and gets its value with the last one of them. */
  expect(step: CheckedStep, count: number): void;
  begin(work: StepWork): void;
  /** Whether the variable is bound by that: a step by its value, one with items by the last of them. */
  take(slot: ValueSlot, settled: Settled): boolean;
  /** Whatever has no value is canceled. */
  cancelRest(stop: PlanStop): void;
  /** What was asked, by the names that answers have. */
  readonly questions: ReadonlyMap<string, Json>;
}

/** A board that fills the given values. */
export function createBoard({ steps }: CheckedPlan, values: Map<string, StepValue>, teller: Teller): Board {
  const items = new Map<CheckedStep, { readonly values: StepValue[]; missing: number }>();
  const openItems = new Set<ValueSlot>();
  const questions = new Map<string, Json>();

  const settle = (step: CheckedStep, settled: Settled): void => {
    values.set(step.name, settled.value);
    teller.ended(step, settled);
  };

  const takeItem = (step: CheckedStep, index: number, settled: Settled): boolean => {
    teller.ended(step, settled, index);
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
      throw new AgentError('internal.bug', `@${variable} was asked for before it had a value.`);
    },
    settle,
    expect: (step, count) => void items.set(step, { values: [], missing: count }),
    begin(work) {
      if (work.index !== undefined) openItems.add(work);
      teller.started(work);
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
        teller.ended(step, { value: stoppedValue(step.name, stop) }, index);
      for (const step of steps)
        if (!values.has(step.name)) settle(step, { value: stoppedValue(step.name, stop) });
    },
  };
}

/** The value of a step from those of its items: the list of them unless one failed or came to nothing. Pure. */
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

/** A value of a step, and whether it was there before. */
export interface Settled {
  readonly value: StepValue;
  readonly isKept?: true;
}

/** Tells the host what happens; the clock is looked at only if somebody listens. */
interface Teller {
  planStarted(script: string): void;
  started(work: StepWork): void;
  ended(step: CheckedStep, settled: Settled, index?: number): void;
  planEnded(status: SopStatus): void;
}

/** A teller for the listener of these options, whose failures are not caught. */
export function createTeller(options: SopOptions, clock: Clock): Teller {
  const tell = (event: SopEvent): void => options.onEvent?.(event);
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
    planStarted: (script) => tell({ at: at(), type: 'plan.started', script }),
    started({ step, index, bound }) {
      const { input } = bound;
      const comment = optional('comment', step.comment);
      tell({ at: at(), type: 'step.started', ...ofStep(step, index), input, ...comment });
    },
    ended: (step, settled, index) =>
      tell({ at: at(), type: 'step.ended', ...ofStep(step, index), ...settled }),
    planEnded: (status) => tell({ at: at(), type: 'plan.ended', status }),
  };
}
