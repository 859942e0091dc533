import { hashOf } from '../../../core/index.ts';
import type { CheckedPlan, CheckedStep, SopState, StepRecord, StepValue } from '../index.ts';

/** The results of earlier executions that a plan can reuse, and the results that it adds. */
export interface PlanRecords {
  /** Claims the earlier result for the same variable and item. Each result can be claimed only once. */
  claim(execution: StepExecution): StepValue | undefined;
  /** Releases the results of a variable that were not claimed, so that other steps can claim them. */
  release(variable: string): void;
  /**
   * Claims an earlier successful result with the same command and input, from a step that has been removed or
   * changed.
   */
  claimMoved(execution: StepExecution): StepValue | undefined;
  add(record: StepRecord): void;
  /** Returns all results so far, claimed or not. */
  state(): SopState;
}

/** An execution, without its result. */
export type StepExecution = Omit<StepRecord, 'value'>;

/**
 * Creates the records of a plan. A failure is reused only if the script is unchanged and `retriesFailed` is
 * not set. A failure caused by the policy is never reused, because the policy may have changed.
 */
export function createRecords(plan: CheckedPlan, before: SopState, retriesFailed: boolean): PlanRecords {
  const hash = hashOf(plan.script);
  const isSamePlan = before.plan === undefined || before.plan === hash;
  const current = before.records.filter(
    ({ value }) => value.status !== 'fail' || (isSamePlan && !retriesFailed && !isOfPolicy(value)),
  );
  const steps = new Map(plan.steps.map((step) => [step.name, step]));
  const released = new Set<string>();
  const own = new Map<string, Set<number>>();
  const successes = new Map<string, Set<number>>();
  for (const [index, record] of current.entries()) {
    put(own, ownKey(record), index);
    if (record.value.status === 'success') put(successes, effectKey(record), index);
  }

  const take = (index: number | undefined, execution: StepExecution): StepValue | undefined => {
    const record = index === undefined ? undefined : current[index];
    if (index === undefined || record === undefined) return undefined;
    own.get(ownKey(record))?.delete(index);
    successes.get(effectKey(record))?.delete(index);
    current[index] = { ...execution, value: record.value };
    return record.value;
  };

  const isFree = (index: number): boolean => {
    const record = current[index];
    const step = record === undefined ? undefined : steps.get(record.variable);
    if (record === undefined || step === undefined || released.has(step.name)) return true;
    const isSameKind = (step.list === undefined) === (record.index === undefined);
    if (step.runs.name !== record.command || !isSameKind) return true;
    return (writtenInput(step) ?? record.input) !== record.input;
  };

  return {
    claim: (execution) => take(firstOf(own.get(ownKey(execution))), execution),
    release: (variable) => void released.add(variable),
    claimMoved: (execution) => take(firstOf(successes.get(effectKey(execution)), isFree), execution),
    add: (record) => void current.push(record),
    state: () => ({ plan: hash, records: [...current] }),
  };
}

function isOfPolicy(value: StepValue): boolean {
  return value.status === 'fail' && value.error.code.startsWith('policy.');
}

/** Returns the hash of a step's input, if it is known before the plan runs. */
function writtenInput(step: CheckedStep): string | undefined {
  if (step.values.length > 0 || step.list !== undefined) return undefined;
  try {
    return hashOf(step.inputFrom(unknownValue).input);
  } catch {
    return undefined; // The input depends on a value that is not known yet.
  }
}

function unknownValue(): never {
  throw new Error('the value is not there yet');
}

function put(indexes: Map<string, Set<number>>, key: string, index: number): void {
  const before = indexes.get(key);
  if (before === undefined) indexes.set(key, new Set([index]));
  else before.add(index);
}

function firstOf(
  indexes: ReadonlySet<number> = new Set(),
  isMeant: (index: number) => boolean = () => true,
): number | undefined {
  for (const index of indexes) if (isMeant(index)) return index;
  return undefined;
}

function ownKey({ variable, index, command, input }: StepExecution): string {
  return JSON.stringify([variable, index ?? null, command, input]);
}

function effectKey({ command, input }: StepExecution): string {
  return JSON.stringify([command, input]);
}
