import { sql } from 'kysely';
import { runPiece } from '../sql/run-piece.ts';
import type { SchemaPlace } from './inspect/existing-table.ts';

const lock = 1_952_541_291; // any number that others do not use: "tabl"

/** Waits until nobody else changes tables, until the end of the transaction; a transaction of SQLite is alone anyway. */
export async function lockSchema(place: SchemaPlace): Promise<void> {
  if (place.kind === 'postgres') await runPiece(place, sql`select pg_advisory_xact_lock(${lock}::int, 1)`);
}
