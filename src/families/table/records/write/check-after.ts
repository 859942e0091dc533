import type { RunSql } from '../../../../core/index.ts';
import type { Change, ChangeFault } from '../change.ts';
import type { RecordsContext } from '../records-context.ts';
import { checkReferences } from './check-references.ts';
import { checkReferrers } from './check-referrers.ts';

/**
 * Checks changes after they are applied, for broken references from and to the changed records. Returns the
 * faults in the order of the changes.
 */
export async function checkAfter(
  run: RunSql,
  context: RecordsContext,
  changes: readonly Change[],
): Promise<readonly ChangeFault[]> {
  const faults = [
    ...(await checkReferences(run, context, changes)),
    ...(await checkReferrers(run, context, changes)),
  ];
  return faults.sort((one, other) => one.index - other.index);
}
