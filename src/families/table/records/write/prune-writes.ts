import { sql } from 'kysely';
import type { RunSql } from '../../../../core/index.ts';
import { perform, type RecordsGround } from '../records-ground.ts';
import { keptName } from './kept-tables.ts';

const mostKept = 50; // writes of a table
const day = 24 * 60 * 60 * 1000;
const longestImages = 7 * day;
const longestIds = 30 * day; // a run that was cut off may be taken up long after
const every = 8; // writes; a look at each would make writers wait for each other

/** Forgets what would take back old writes, and later that they were made. */
export async function pruneWrites(run: RunSql, ground: RecordsGround, number: number): Promise<void> {
  if (number % every !== 0) return;
  const now = Date.now();
  const name = keptName(ground);
  const [oldest] = await perform(
    run,
    ground,
    sql`select number from skilled_writes where table_name = ${name} order by number desc limit 1 offset ${mostKept - 1}`,
  );
  const first = Number(oldest?.['number'] ?? 0);
  const gone = sql`table_name = ${name} and has_images = 1 and (number < ${first} or at < ${now - longestImages})`;
  await perform(
    run,
    ground,
    sql`delete from skilled_undo where write_number in (select number from skilled_writes where ${gone})`,
  );
  await perform(run, ground, sql`update skilled_writes set has_images = 0 where ${gone}`);
  await perform(
    run,
    ground,
    sql`delete from skilled_writes where table_name = ${name} and number < ${first} and at < ${now - longestIds}`,
  );
}
