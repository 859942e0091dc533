import type { Database } from '../../../core/database.ts';
import type { Physical } from '../schema/physical.ts';
import type { Table } from '../table.ts';
import type { Records } from './records.ts';

/** The records of a table that stands in its database; the query builder is loaded with the first of them. */
export async function openRecords(database: Database, table: Table, physical: Physical): Promise<Records> {
  const { createRecords } = await import('./create-records.ts');
  return createRecords(database, table, physical);
}
