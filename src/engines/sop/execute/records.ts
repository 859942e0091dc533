import { hashOf } from '../../../core/index.ts';
import type { CheckedPlan, CheckedStep, SopState, StepRecord, StepValue } from '../index.ts';

/** What one plan takes over from earlier executions, and what it adds to them. */
export interface PlanRecords {
  /** What this very execution came to before: that of the same variable and item. Each record is for one claim. */
  claim(wanted: StepExecution): StepValue | undefined;
  /** All executions of a variable have claimed their own; what they left is there for others. */
  release(variable: string): void;
  /**
   * A success of an equal command and input whose own step does not claim it: it left the plan, or does something else
   * now. It belongs to the claimant from then on.
   */
  claimMoved(wanted: StepExecution): StepValue | undefined;
  add(record: StepRecord): void;
  /** All that is known by now, claimed or not. */
  state(): SopState;
}

/** An execution before it happened. */
export type StepExecution = Omit<StepRecord, 'value'>;

/**
 * The records for a plan. Failures are taken over only by the same script, and not if `retriesFailed` or a policy made
 * them: it may have changed.
 */
export function createRecords(plan: CheckedPlan, before: SopState, retriesFailed: boolean): PlanRecords {
  const hash = hashOf(plan.script);
  const isSamePlan = before.plan === undefined || before.plan === hash;
  const kept = before.records.filter(
    ({ value }) => value.status !== 'fail' || (isSamePlan && !retriesFailed && !isOfPolicy(value)),
  );
  const steps = new Map(plan.steps.map((step) => [step.name, step]));
  const released = new Set<string>();
  const own = new Map<string, Set<number>>();
  const successes = new Map<string, Set<number>>();
  for (const [place, record] of kept.entries()) {
    put(own, ownKey(record), place);
    if (record.value.status === 'success') put(successes, effectKey(record), place);
  }

  const take = (place: number | undefined, wanted: StepExecution): StepValue | undefined => {
    const record = place === undefined ? undefined : kept[place];
    if (place === undefined || record === undefined) return undefined;
    own.get(ownKey(record))?.delete(place);
    successes.get(effectKey(record))?.delete(place);
    kept[place] = { ...wanted, value: record.value };
    return record.value;
  };

  const isFree = (place: number): boolean => {
    const record = kept[place];
    const step = record === undefined ? undefined : steps.get(record.variable);
    if (record === undefined || step === undefined || released.has(step.name)) return true;
    const isSameKind = (step.list === undefined) === (record.index === undefined);
    if (step.runs.name !== record.command || !isSameKind) return true;
    return (writtenInput(step) ?? record.input) !== record.input;
  };

  return {
    claim: (wanted) => take(firstOf(own.get(ownKey(wanted))), wanted),
    release: (variable) => void released.add(variable),
    claimMoved: (wanted) => take(firstOf(successes.get(effectKey(wanted)), isFree), wanted),
    add: (record) => void kept.push(record),
    state: () => ({ plan: hash, records: [...kept] }),
  };
}

function isOfPolicy(value: StepValue): boolean {
  return value.status === 'fail' && value.error.code.startsWith('policy.');
}

/** The hash of an input that is known before the plan runs. */
function writtenInput(step: CheckedStep): string | undefined {
  if (step.values.length > 0 || step.list !== undefined) return undefined;
  try {
    return hashOf(step.inputFrom(unknownValue).input);
  } catch {
    return undefined; // it takes the supplied input
  }
}

function unknownValue(): never {
  throw new Error('the value is not there yet');
}

function put(places: Map<string, Set<number>>, key: string, place: number): void {
  const before = places.get(key);
  if (before === undefined) places.set(key, new Set([place]));
  else before.add(place);
}

function firstOf(
  places: ReadonlySet<number> = new Set(),
  isMeant: (place: number) => boolean = () => true,
): number | undefined {
  for (const place of places) if (isMeant(place)) return place;
  return undefined;
}

function ownKey({ variable, index, command, input }: StepExecution): string {
  return JSON.stringify([variable, index ?? null, command, input]);
}

function effectKey({ command, input }: StepExecution): string {
  return JSON.stringify([command, input]);
}
