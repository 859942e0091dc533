import { sql } from 'kysely';
import type { Change } from '../change.ts';
import { query, type RecordsGround } from '../records-ground.ts';
import type { LastWrite } from '../records.ts';
import { hasKeptTables, keptName } from './kept-tables.ts';

/** The last write of a session to a table that was not taken back, with what would take it back. */
export async function readLastWrite(ground: RecordsGround, session: string): Promise<LastWrite | undefined> {
  const { database } = ground;
  if (!(await hasKeptTables((statement) => database.read(statement), ground))) return undefined;
  const [row] = await query(
    ground,
    sql`select number, step_id, changes from skilled_writes
      where table_name = ${keptName(ground)} and session = ${session} and kind = 'write' and undone_by is null
      order by number desc limit 1`,
  );
  if (row === undefined) return undefined;
  const stepId = String(row['step_id']);
  const parts = await query(
    ground,
    sql`select changes from skilled_undo where write_number = ${Number(row['number'])} order by part`,
  );
  const changes = parts.flatMap((part) => JSON.parse(String(part['changes'])) as readonly Change[]);
  const count = Number(row['changes']);
  return changes.length === count ? { stepId, changes } : { stepId, changes: [], notKept: count };
}
