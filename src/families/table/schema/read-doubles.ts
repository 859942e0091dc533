import { sql } from 'kysely';
import { compileSql } from './compile-sql.ts';
import type { SchemaPlace, TableName } from './existing-table.ts';
import { tablePiece } from './table-statements.ts';

const mostShown = 5;

/** Values, or combinations of them, that several rows have: how many there are, and some of them as text. */
export async function readDoubles(
  { kind, run }: SchemaPlace,
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
  const [count] = await run(compileSql(kind, sql`select count(*) as total from (${doubles}) as doubles`));
  const total = Number(count?.['total'] ?? 0);
  if (total === 0) return { total, some: [] };
  const order = sql`order by ${sql.join(names)} limit ${sql.lit(mostShown)}`;
  const rows = await run(compileSql(kind, sql`${doubles} ${order}`));
  return { total, some: rows.map((row) => columns.map((column) => shown(row[column])).join(' and ')) };
}

function shown(value: unknown): string {
  const text = String(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
