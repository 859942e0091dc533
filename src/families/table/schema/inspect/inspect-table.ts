import type { ExistingTable, SchemaPlace, TableName } from './existing-table.ts';
import { inspectPostgresTable } from './inspect-postgres-table.ts';
import { inspectSqliteTable } from './inspect-sqlite-table.ts';

/** What the database says about a table or view; undefined when it is not there. */
export function inspectTable(place: SchemaPlace, name: TableName): Promise<ExistingTable | undefined> {
  return place.kind === 'sqlite' ? inspectSqliteTable(place, name) : inspectPostgresTable(place, name);
}
