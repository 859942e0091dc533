import type { ExistingTable, SqlExecutor, TableName } from './existing-table.ts';
import { findTable } from './find-table.ts';
import { inspectTable } from './inspect-table.ts';
import { matchName } from '../match-name.ts';
import { sqlName } from '../sql-name.ts';
import { readTableRecords, type TableRecord } from '../table-record.ts';

/** The target column of a reference. */
interface Referenced extends TableName {
  /** The table's title. */
  readonly title: string;
  readonly column: string;
  /** The column's database type. */
  readonly sqlType: string;
}

/**
 * Finds the target of a reference. Returns undefined if there is no such table or column, or no single key
 * column to refer to.
 */
export async function findReferenced(
  executor: SqlExecutor,
  { table: name, field }: { readonly table: string; readonly field?: string },
): Promise<Referenced | undefined> {
  const records = (await readTableRecords(executor)).map(({ record }) => record);
  const record = records.find(({ title }) => sqlName(title) === sqlName(name));
  const existing = (record && (await inspectTable(executor, record))) ?? (await findTable(executor, name));
  if (existing === undefined) return undefined;
  const column = field === undefined ? keyOf(existing) : columnOf(existing, record, field);
  const { schema, table, columns } = existing;
  const found = columns.find((candidate) => candidate.name === column);
  if (found === undefined) return undefined;
  return {
    ...(schema === undefined ? {} : { schema }),
    table,
    title: record?.title ?? table,
    column: found.name,
    sqlType: found.type,
  };
}

function keyOf({ key }: ExistingTable): string | undefined {
  return key.length === 1 ? key[0] : undefined;
}

function columnOf(
  { columns }: ExistingTable,
  record: TableRecord | undefined,
  field: string,
): string | undefined {
  const recorded = matchName(record?.fields ?? [], field, (entry) => entry.field);
  return recorded?.column ?? matchName(columns, field, ({ name }) => name)?.name;
}
