import { sql } from 'kysely';
import type { ExistingTable, SchemaPlace } from '../schema/existing-table.ts';
import { runPiece } from '../sql/run-piece.ts';

/** What people wrote about a table; empty when nobody did, and in SQLite, which has no place for it. */
export async function readTableComment(place: SchemaPlace, table: ExistingTable): Promise<string> {
  if (place.kind === 'sqlite') return '';
  const [row] = await runPiece(
    place,
    sql`select obj_description(c.oid, 'pg_class') as text from pg_catalog.pg_class c
        join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where c.relname = ${table.table} and n.nspname = ${table.schema ?? ''}`,
  );
  return typeof row?.['text'] === 'string' ? row['text'] : '';
}
