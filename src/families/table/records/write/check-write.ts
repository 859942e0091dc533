import { normaliseKey, type RunSql } from '../../../../core/index.ts';
import type { Change, ChangeFault } from '../change.ts';
import type { RecordsContext } from '../records-context.ts';
import { applyChanges } from './apply-changes.ts';
import { checkAfter } from './check-after.ts';
import { checkBefore } from './check-before.ts';
import { refusedBy, refusedFault } from './refused-by.ts';

/** Finds problems with a set of changes by applying them and rolling them back. */
export async function checkWrite(
  context: RecordsContext,
  changes: readonly Change[],
): Promise<readonly ChangeFault[]> {
  let faults: readonly ChangeFault[] | undefined;
  try {
    await context.database.write(async (run) => {
      faults = undefined;
      faults = await findFaults(run, context, changes);
      throw new Error('the changes are taken back');
    });
  } catch (thrown) {
    if (faults !== undefined) return faults;
    if (refusedBy(thrown) === undefined) throw thrown;
    return [refusedFault(context, changes, thrown)];
  }
  return [];
}

async function findFaults(
  run: RunSql,
  context: RecordsContext,
  changes: readonly Change[],
): Promise<readonly ChangeFault[]> {
  const before = await checkBefore(run, context, changes);
  if (before !== undefined) return before.outcome === 'refused' ? before.faults : [];
  // Changes that add numbered records are not applied here, because PostgreSQL does not reuse a number, even
  // after a rollback.
  const isNumbered = ({ kind }: Change): boolean =>
    kind === 'add' && context.table.key[0]?.key === 'auto-increment';
  if (!changes.some(isNumbered)) await applyChanges(run, context, changes, false);
  else if (refersToItself(context)) return [];
  return checkAfter(run, context, changes);
}

function refersToItself({ table }: RecordsContext): boolean {
  return table.fields.some(
    ({ references }) =>
      references !== undefined && normaliseKey(references.table) === normaliseKey(table.name),
  );
}
