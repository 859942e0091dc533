import { sql } from 'kysely';
import type { TableRow } from '../table.ts';
import { whereOf } from './condition.ts';
import { countRecords } from './count.ts';
import { orderOf } from './order.ts';
import { query, readRow, type RecordsGround } from './records-ground.ts';
import type { Window } from './records.ts';
import { windowOf } from './window.ts';

/** Records and their total number in one statement, so that they belong together. */
export async function listRecords(
  ground: RecordsGround,
  { where, sort, limit, offset = 0 }: Window,
): Promise<{ readonly rows: readonly TableRow[]; readonly total: number }> {
  if (limit === 0) return { rows: [], total: await countRecords(ground, where) };
  const fits = whereOf(ground, where);
  const isWhole = limit === undefined && offset === 0;
  const total = isWhole ? sql`` : sql`, (select count(*) from ${ground.from}${fits}) as "skilled:total"`;
  const page = sql`${orderOf(ground, sort)}${windowOf(ground, limit, offset)}`;
  const rows = await query(ground, sql`select ${ground.selection}${total} from ${ground.from}${fits}${page}`);
  const records = rows.map((row) => readRow(ground, row));
  if (isWhole) return { rows: records, total: records.length };
  const [first] = rows;
  return {
    rows: records,
    total: first === undefined ? await countRecords(ground, where) : Number(first['skilled:total']),
  };
}
