import { sql } from 'kysely';
import { compileSql } from './compile-sql.ts';
import type { SchemaPlace } from './existing-table.ts';

const lock = 1_952_541_291; // any number that others do not use: "tabl"

/** Waits until nobody else changes tables, until the end of the transaction; a transaction of SQLite is alone anyway. */
export async function lockSchema({ kind, run }: SchemaPlace): Promise<void> {
  if (kind === 'postgres') await run(compileSql(kind, sql`select pg_advisory_xact_lock(${lock}::int, 1)`));
}
