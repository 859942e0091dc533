import { atLine, type Change, type ChangeFault } from '../records/change.ts';
import type { Ground } from '../ground.ts';
import type { ChangePlan } from './plan.ts';

const mostWeighed = 1_000; // changes; more than that are only looked at when they are written
const mostRounds = 10; // a record that is left out may have been the one that others refer to

/**
 * What the database would refuse is known before anybody is asked. Changes with faults are left out of a plan that may be
 * done in part. `lineOf` gives the line of the file that a change comes from.
 */
export async function weighPlan(
  ground: Ground,
  plan: ChangePlan,
  isPartial: boolean,
  lineOf: (index: number) => number | undefined = () => undefined,
): Promise<ChangePlan> {
  if (plan.missing.length > 0) return plan;
  if (!isPartial) return { ...plan, faults: [...plan.faults, ...(await refusals(ground, plan, lineOf))] };
  const faulty = new Set(plan.faults.map(({ index }) => index));
  let kept = [...plan.changes.entries()].filter(([index]) => !faulty.has(index));
  let faults = plan.faults;
  for (let round = 1; kept.length > 0; round++) {
    const found = await ground.records.check(kept.map(([, change]) => change));
    if (found.length === 0) break;
    const out = new Set(found.map(({ index }) => index));
    faults = [...faults, ...found.map((fault) => placed(fault, kept, lineOf))];
    kept = round === mostRounds ? [] : kept.filter((_entry, index) => !out.has(index));
  }
  if (kept.length === 0) return { ...plan, faults };
  const changes = kept.map(([, change]) => change);
  return { ...plan, faults: [], changes, leftOut: plan.changes.length - changes.length };
}

async function refusals(
  { records, ways }: Ground,
  { changes, faults }: ChangePlan,
  lineOf: (index: number) => number | undefined,
): Promise<readonly ChangeFault[]> {
  if (!ways.confirms || faults.length > 0 || changes.length > mostWeighed) return [];
  const found = await records.check(changes);
  return found.map((fault) => placed(fault, [...changes.entries()], lineOf));
}

function placed(
  fault: ChangeFault,
  kept: readonly (readonly [number, Change])[],
  lineOf: (index: number) => number | undefined,
): ChangeFault {
  const index = kept[fault.index]?.[0] ?? fault.index;
  return atLine({ ...fault, index }, lineOf(index));
}
