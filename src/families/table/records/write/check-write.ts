import { normaliseKey, type RunSql } from '../../../../core/index.ts';
import type { Change, ChangeFault } from '../change.ts';
import type { RecordsGround } from '../records-ground.ts';
import { applyChanges } from './apply-changes.ts';
import { checkAfter } from './check-after.ts';
import { checkBefore } from './check-before.ts';
import { refusedBy, refusedFault } from './refused-by.ts';

/** What would keep changes from being made, found out by making them and taking them back. */
export async function checkWrite(
  ground: RecordsGround,
  changes: readonly Change[],
): Promise<readonly ChangeFault[]> {
  let faults: readonly ChangeFault[] | undefined;
  try {
    await ground.database.write(async (run) => {
      faults = undefined;
      faults = await findFaults(run, ground, changes);
      throw new Error('the changes are taken back');
    });
  } catch (thrown) {
    if (faults !== undefined) return faults;
    if (refusedBy(thrown) === undefined) throw thrown;
    return [refusedFault(ground, changes, thrown)];
  }
  return [];
}

async function findFaults(
  run: RunSql,
  ground: RecordsGround,
  changes: readonly Change[],
): Promise<readonly ChangeFault[]> {
  const before = await checkBefore(run, ground, changes);
  if (before !== undefined) return before.outcome === 'refused' ? before.faults : [];
  // A number that PostgreSQL gave to a record is used up, also when the record is taken back.
  const isNumbered = ({ kind }: Change): boolean =>
    kind === 'add' && ground.table.key[0]?.key === 'auto-increment';
  if (!changes.some(isNumbered)) await applyChanges(run, ground, changes, false);
  else if (refersToItself(ground)) return [];
  return checkAfter(run, ground, changes);
}

function refersToItself({ table }: RecordsGround): boolean {
  return table.fields.some(
    ({ references }) =>
      references !== undefined && normaliseKey(references.table) === normaliseKey(table.name),
  );
}
