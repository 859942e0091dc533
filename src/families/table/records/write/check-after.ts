import type { RunSql } from '../../../../core/index.ts';
import type { Change, ChangeFault } from '../change.ts';
import type { RecordsGround } from '../records-ground.ts';
import { checkReferences } from './check-references.ts';
import { checkReferrers } from './check-referrers.ts';

/** What stands against changes once they are made, in the order of the changes: references that lead nowhere, from here or to here. */
export async function checkAfter(
  run: RunSql,
  ground: RecordsGround,
  changes: readonly Change[],
): Promise<readonly ChangeFault[]> {
  const faults = [
    ...(await checkReferences(run, ground, changes)),
    ...(await checkReferrers(run, ground, changes)),
  ];
  return faults.sort((one, other) => one.index - other.index);
}
