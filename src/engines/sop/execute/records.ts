import { hashOf } from '../../../core/canonical.ts';
import type { CheckedPlan } from '../checked-plan.ts';
import type { SopState, StepRecord, StepValue } from '../step-value.ts';

/** What one plan takes over from earlier executions, and what it adds to them. */
export interface Records {
  /**
   * What this very execution came to before, each record for one claim: first that of the same variable and item, then
   * a success of a variable that is no longer in the plan, which belongs to the claimant from then on.
   */
  claim(wanted: Execution): StepValue | undefined;
  add(record: StepRecord): void;
  /** All that is known by now, claimed or not. */
  state(): SopState;
}

/** An execution before it happened. */
export type Execution = Omit<StepRecord, 'value'>;

/**
 * The records for a plan. Failures are taken over only by the same script, and not if `retriesFailed` or a policy made
 * them: it may have changed.
 */
export function createRecords(plan: CheckedPlan, before: SopState, retriesFailed: boolean): Records {
  const hash = hashOf(plan.script);
  const isSamePlan = before.plan === undefined || before.plan === hash;
  const kept = before.records.filter(
    ({ value }) => value.status !== 'fail' || (isSamePlan && !retriesFailed && !isOfPolicy(value)),
  );
  const declared = new Set(plan.steps.map(({ name }) => name));
  const own = new Map<string, number[]>();
  const orphaned = new Map<string, number[]>();
  for (const [place, record] of kept.entries()) {
    if (declared.has(record.variable)) put(own, ownKey(record), place);
    else if (record.value.status === 'success') put(orphaned, effectKey(record), place);
  }

  return {
    claim(wanted) {
      const place = own.get(ownKey(wanted))?.shift() ?? orphaned.get(effectKey(wanted))?.shift();
      const record = place === undefined ? undefined : kept[place];
      if (place === undefined || record === undefined) return undefined;
      kept[place] = { ...wanted, value: record.value };
      return record.value;
    },
    add: (record) => void kept.push(record),
    state: () => ({ plan: hash, records: [...kept] }),
  };
}

function isOfPolicy(value: StepValue): boolean {
  return value.status === 'fail' && value.error.code.startsWith('policy.');
}

function put(places: Map<string, number[]>, key: string, place: number): void {
  const before = places.get(key);
  if (before === undefined) places.set(key, [place]);
  else before.push(place);
}

function ownKey({ variable, index, command, input }: Execution): string {
  return JSON.stringify([variable, index ?? null, command, input]);
}

function effectKey({ command, input }: Execution): string {
  return JSON.stringify([command, input]);
}
