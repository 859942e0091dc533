import type { ExistingTable, SchemaPlace, TableName } from './existing-table.ts';
import { findTable } from './find-table.ts';
import { inspectTable } from './inspect-table.ts';
import { matchName } from '../match-name.ts';
import { sqlName } from '../sql-name.ts';
import { readTableRecords, type TableRecord } from '../table-record.ts';

/** The column that a reference leads to. */
interface Referenced extends TableName {
  /** As people call the table. */
  readonly title: string;
  readonly column: string;
  /** The type of the column, as the database has it. */
  readonly sqlType: string;
}

/** Where a reference leads; undefined when there is no such table or column, or no key of one column to mean. */
export async function findReferenced(
  place: SchemaPlace,
  { table: name, field }: { readonly table: string; readonly field?: string },
): Promise<Referenced | undefined> {
  const records = (await readTableRecords(place)).map(({ record }) => record);
  const record = records.find(({ title }) => sqlName(title) === sqlName(name));
  const existing = (record && (await inspectTable(place, record))) ?? (await findTable(place, name));
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
