import { sql } from 'kysely';
import type { RunSql } from '../../../../core/index.ts';
import type { Change, ChangeFault, Written } from '../change.ts';
import { perform, type RecordsGround } from '../records-ground.ts';
import type { LastWrite } from '../records.ts';
import { checkCascades } from './check-cascades.ts';
import { checkChanges } from './check-changes.ts';
import { checkUnique } from './check-unique.ts';
import { findStale } from './find-stale.ts';
import { keptName } from './kept-tables.ts';

/** What stands against changes before anything is touched; undefined when nothing does. */
export async function checkBefore(
  run: RunSql,
  ground: RecordsGround,
  changes: readonly Change[],
  taken?: LastWrite,
): Promise<Exclude<Written, { outcome: 'done' }> | undefined> {
  const faults = [
    ...(taken === undefined ? [] : await checkTaken(run, ground, taken)),
    ...checkChanges(ground, changes),
  ];
  if (faults.length > 0) return { outcome: 'refused', faults };
  const now = await findStale(run, ground, changes);
  if (now.length > 0) return { outcome: 'stale', now };
  const clashes = [
    ...(await checkUnique(run, ground, changes)),
    ...(await checkCascades(run, ground, changes)),
  ];
  return clashes.length > 0 ? { outcome: 'refused', faults: clashes } : undefined;
}

/** Whether a write can be taken back at all: it is known, can be undone, and nobody undid it before. */
async function checkTaken(
  run: RunSql,
  ground: RecordsGround,
  { stepId, notKept }: LastWrite,
): Promise<readonly ChangeFault[]> {
  const [row] = await perform(
    run,
    ground,
    sql`select undone_by from skilled_writes
      where step_id = ${stepId} and table_name = ${keptName(ground)} and kind = 'write'`,
  );
  if (row === undefined) return refuse('That change is too old to be taken back.');
  if (row['undone_by'] !== null) return refuse('That change was taken back already.');
  if (notKept === undefined) return [];
  return refuse(
    `That change of ${notKept} records cannot be taken back: how they were before is not kept for so many, or no longer.`,
  );
}

function refuse(message: string): readonly ChangeFault[] {
  return [{ index: 0, message }];
}
