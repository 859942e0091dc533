import { sql } from 'kysely';
import type { RunSql } from '../../../../core/index.ts';
import type { ChangeFault } from '../change.ts';
import { perform, type RecordsGround } from '../records-ground.ts';
import type { LastWrite } from '../records.ts';
import { keptName } from './kept-tables.ts';

/** Whether a write can be taken back at all: it is known, can be undone, and nobody undid it before. */
export async function checkTaken(
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
