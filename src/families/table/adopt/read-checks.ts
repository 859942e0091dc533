import { sql } from 'kysely';
import type { ExistingTable, SqlExecutor } from '../schema/inspect/existing-table.ts';
import { runPiece } from '../sql.ts';

/**
 * Returns the values that check constraints allow, keyed by column. Only constraints that are a plain list of
 * values are read.
 */
export async function readChecks(
  executor: SqlExecutor,
  table: ExistingTable,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const texts = await (executor.kind === 'sqlite' ? inSqlite(executor, table) : inPostgres(executor, table));
  const lists = new Map<string, readonly string[]>();
  for (const text of texts) {
    for (const { name } of table.columns) {
      const values = listFor(name, text);
      if (values !== undefined) lists.set(name, values);
    }
  }
  return lists;
}

async function inSqlite(executor: SqlExecutor, { table }: ExistingTable): Promise<readonly string[]> {
  const rows = await runPiece(
    executor,
    sql`select sql from sqlite_master where name = ${table} and type = 'table'`,
  );
  const text = String(rows[0]?.['sql'] ?? '');
  return text.match(/check\s*\((?:[^()']|'(?:[^']|'')*'|\((?:[^()']|'(?:[^']|'')*')*\))*\)/gi) ?? [];
}

async function inPostgres(executor: SqlExecutor, table: ExistingTable): Promise<readonly string[]> {
  const rows = await runPiece(
    executor,
    sql`select pg_get_constraintdef(k.oid) as text from pg_catalog.pg_constraint k
        join pg_catalog.pg_class c on c.oid = k.conrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where k.contype = 'c' and k.convalidated and c.relname = ${table.table} and n.nspname = ${table.schema ?? ''}`,
  );
  return rows.map(({ text }) => String(text));
}

/**
 * Returns the values in a check such as `check (status in ('a', 'b'))`, including the form in which
 * PostgreSQL stores it.
 */
function listFor(column: string, check: string): readonly string[] | undefined {
  const escaped = column.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const name = String.raw`\(?(?:"${escaped}"|\b${escaped}\b|\[${escaped}\]|${'`'}${escaped}${'`'})\)?(?:::[\w ]+)?`;
  const value = String.raw`'(?:[^']|'')*'(?:::[\w ]+)?`;
  const list = String.raw`${value}(?:\s*,\s*${value})*`;
  const form = new RegExp(
    String.raw`^check\s*\(+\s*${name}\s*(?:in\s*\(\s*(${list})\s*\)|= any\s*\(\(?array\[(${list})\]\)?(?:::[\w ]+\[\])?\))\s*\)+$`,
    'is',
  );
  const found = form.exec(check.trim());
  const items = found?.[1] ?? found?.[2];
  return items?.match(/'(?:[^']|'')*'/g)?.map((item) => item.slice(1, -1).replaceAll("''", "'"));
}
