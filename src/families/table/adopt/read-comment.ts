import { sql } from 'kysely';
import { compileSql } from '../schema/compile-sql.ts';
import type { ExistingTable, SchemaPlace } from '../schema/existing-table.ts';

/** What people wrote about a table; empty when nobody did, and in SQLite, which has no place for it. */
export async function readTableComment({ kind, run }: SchemaPlace, table: ExistingTable): Promise<string> {
  if (kind === 'sqlite') return '';
  const [row] = await run(
    compileSql(
      kind,
      sql`select obj_description(c.oid, 'pg_class') as text from pg_catalog.pg_class c
        join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where c.relname = ${table.table} and n.nspname = ${table.schema ?? ''}`,
    ),
  );
  return typeof row?.['text'] === 'string' ? row['text'] : '';
}
