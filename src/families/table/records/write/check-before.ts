import { sql } from 'kysely';
import type { RunSql } from '../../../../core/index.ts';
import { counted } from '../../show/counted.ts';
import type { Change, ChangeFault, Written } from '../change.ts';
import { perform, type RecordsContext } from '../records-context.ts';
import type { LastWrite } from '../records.ts';
import { checkCascades } from './check-cascades.ts';
import { checkChanges } from './check-changes.ts';
import { checkUnique } from './check-unique.ts';
import { findStale } from './find-stale.ts';
import { historyName } from './history-tables.ts';

/** Checks changes before anything is written. Returns why they cannot be made, or undefined if they can. */
export async function checkBefore(
  run: RunSql,
  context: RecordsContext,
  changes: readonly Change[],
  taken?: LastWrite,
): Promise<Exclude<Written, { outcome: 'done' }> | undefined> {
  const faults = [
    ...(taken === undefined ? [] : await checkTaken(run, context, taken)),
    ...checkChanges(context, changes),
  ];
  if (faults.length > 0) return { outcome: 'refused', faults };
  const now = await findStale(run, context, changes);
  if (now.length > 0) return { outcome: 'stale', now };
  const clashes = [
    ...(await checkUnique(run, context, changes)),
    ...(await checkCascades(run, context, changes)),
  ];
  return clashes.length > 0 ? { outcome: 'refused', faults: clashes } : undefined;
}

/** Checks that a write can be undone: it exists, is reversible and has not been undone already. */
async function checkTaken(
  run: RunSql,
  context: RecordsContext,
  { stepId, unrecoverableCount }: LastWrite,
): Promise<readonly ChangeFault[]> {
  const [row] = await perform(
    run,
    context,
    sql`select undone_by from skilled_writes
      where step_id = ${stepId} and table_name = ${historyName(context)} and kind = 'write'`,
  );
  if (row === undefined) return refuse('That change is too old to undo.');
  if (row['undone_by'] !== null) return refuse('That change has already been undone.');
  if (unrecoverableCount === undefined) return [];
  return refuse(
    `That change (${counted(unrecoverableCount, 'record')}) cannot be undone because the previous values were not kept or are no longer available.`,
  );
}

function refuse(message: string): readonly ChangeFault[] {
  return [{ index: 0, message }];
}
