import type { Table } from '../table.ts';
import { assignColumns, type AssignedColumn } from './assign-columns.ts';
import type { ExistingTable, SqlExecutor, TableName } from './inspect/existing-table.ts';
import { findExactTable, findTable } from './inspect/find-table.ts';
import { inspectTable } from './inspect/inspect-table.ts';
import { cutName } from './sql-name.ts';
import { readTableRecords, type StoredTableRecord } from './table-record.ts';

/** A skill's table in the database, with the information recorded about it. */
export interface SchemaContext {
  readonly executor: SqlExecutor;
  readonly table: Table;
  /** The table's name in the database, even if the table has not been created yet. */
  readonly name: TableName;
  readonly existing?: ExistingTable;
  readonly stored?: StoredTableRecord;
  readonly columns: readonly AssignedColumn[];
  /** The key's columns. */
  readonly key: readonly AssignedColumn[];
}

/**
 * Finds and reads a skill's table: the one that the descriptor names or, if it names none, the previously
 * used table or the one that matches the title.
 */
export async function readSchemaContext(executor: SqlExecutor, table: Table): Promise<SchemaContext> {
  const records = await readTableRecords(executor);
  const existing = await findExisting(executor, table, records);
  const name = existing ?? (await newName(executor, table));
  const stored = existing && records.find(({ record }) => isSame(record, existing));
  const columns = assignColumns(executor.kind, table, existing, stored?.record);
  return {
    executor,
    table,
    name: nameOf(name),
    columns,
    key: columns.filter(({ field }) => field.key !== undefined),
    ...(existing === undefined ? {} : { existing }),
    ...(stored === undefined ? {} : { stored }),
  };
}

async function findExisting(
  executor: SqlExecutor,
  { name, databaseTable }: Table,
  records: readonly StoredTableRecord[],
): Promise<ExistingTable | undefined> {
  if (databaseTable !== undefined) return findExactTable(executor, databaseTable);
  const last = records.find(({ record }) => record.title === name);
  return (last && (await inspectTable(executor, last.record))) ?? findTable(executor, name);
}

async function newName({ kind, run }: SqlExecutor, { sqlName, databaseTable }: Table): Promise<TableName> {
  const table = databaseTable === undefined ? sqlName : cutName(databaseTable);
  if (kind === 'sqlite') return { table };
  const [row] = await run({ sql: 'select current_schema()::text as schema', parameters: [] });
  return { schema: String(row?.['schema'] ?? 'public'), table };
}

function nameOf({ schema, table }: TableName): TableName {
  return schema === undefined ? { table } : { schema, table };
}

function isSame(one: TableName, other: TableName): boolean {
  return one.schema === other.schema && one.table === other.table;
}
