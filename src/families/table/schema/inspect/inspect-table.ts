import type { ExistingTable, SqlExecutor, TableName } from './existing-table.ts';
import { inspectPostgresTable } from './inspect-postgres-table.ts';
import { inspectSqliteTable } from './inspect-sqlite-table.ts';

/** Reads a table or view from the database. Returns undefined if it does not exist. */
export function inspectTable(executor: SqlExecutor, name: TableName): Promise<ExistingTable | undefined> {
  return executor.kind === 'sqlite'
    ? inspectSqliteTable(executor, name)
    : inspectPostgresTable(executor, name);
}
