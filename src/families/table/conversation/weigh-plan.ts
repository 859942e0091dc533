import { atLine, type Change, type ChangeFault } from '../records/change.ts';
import type { TableContext } from '../table-context.ts';
import type { ChangePlan } from './plan.ts';

// The maximum number of changes to check in advance. Larger plans are checked only when they are written.
const maxWeighed = 1_000;
// The maximum number of check rounds. Leaving out a record can invalidate others that refer to it.
const maxRounds = 10;

/**
 * Finds the changes that the database would refuse, before the user is asked to confirm. If the request
 * allows partial changes, these changes are left out. `lineOf` returns a change's line in the file.
 */
export async function weighPlan(
  context: TableContext,
  plan: ChangePlan,
  isPartial: boolean,
  lineOf: (index: number) => number | undefined = () => undefined,
): Promise<ChangePlan> {
  if (plan.missing.length > 0) return plan;
  if (!isPartial) return { ...plan, faults: [...plan.faults, ...(await refusals(context, plan, lineOf))] };
  const faulty = new Set(plan.faults.map(({ index }) => index));
  let remaining = [...plan.changes.entries()].filter(([index]) => !faulty.has(index));
  let faults = plan.faults;
  for (let round = 1; remaining.length > 0; round++) {
    const found = await context.records.check(remaining.map(([, change]) => change));
    if (found.length === 0) break;
    const out = new Set(found.map(({ index }) => index));
    faults = [...faults, ...found.map((fault) => placed(fault, remaining, lineOf))];
    remaining = round === maxRounds ? [] : remaining.filter((_entry, index) => !out.has(index));
  }
  if (remaining.length === 0) return { ...plan, faults };
  const changes = remaining.map(([, change]) => change);
  return { ...plan, faults: [], changes, leftOut: plan.changes.length - changes.length };
}

async function refusals(
  { records, ways }: TableContext,
  { changes, faults }: ChangePlan,
  lineOf: (index: number) => number | undefined,
): Promise<readonly ChangeFault[]> {
  if (!ways.confirms || faults.length > 0 || changes.length > maxWeighed) return [];
  const found = await records.check(changes);
  return found.map((fault) => placed(fault, [...changes.entries()], lineOf));
}

function placed(
  fault: ChangeFault,
  remaining: readonly (readonly [number, Change])[],
  lineOf: (index: number) => number | undefined,
): ChangeFault {
  const index = remaining[fault.index]?.[0] ?? fault.index;
  return atLine({ ...fault, index }, lineOf(index));
}
