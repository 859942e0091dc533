import { sql } from 'kysely';
import { cutText } from '../show/cut-text.ts';
import { readTotal, runPiece, tablePiece } from '../sql.ts';
import type { SqlExecutor, TableName } from './inspect/existing-table.ts';

const maxShown = 5;

/**
 * Finds values, or combinations of values, that occur in more than one row. Returns their number and some
 * examples as text.
 */
export async function readDoubles(
  executor: SqlExecutor,
  name: TableName,
  columns: readonly string[],
): Promise<{ readonly total: number; readonly some: readonly string[] }> {
  const names = columns.map((column) => sql.id(column));
  const filled = sql.join(
    names.map((column) => sql`${column} is not null`),
    sql` and `,
  );
  const doubles = sql`select ${sql.join(names)} from ${tablePiece(name)} where ${filled}
    group by ${sql.join(names)} having count(*) > 1`;
  const total = await readTotal(executor, sql`select count(*) as total from (${doubles}) as doubles`);
  if (total === 0) return { total, some: [] };
  const order = sql`order by ${sql.join(names)} limit ${sql.lit(maxShown)}`;
  const rows = await runPiece(executor, sql`${doubles} ${order}`);
  return {
    total,
    some: rows.map((row) => columns.map((column) => cutText(String(row[column]), 60)).join(' and ')),
  };
}
