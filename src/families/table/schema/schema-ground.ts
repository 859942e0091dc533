import type { Table } from '../table.ts';
import { assignColumns, type AssignedColumn } from './assign-columns.ts';
import type { ExistingTable, SchemaPlace, TableName } from './inspect/existing-table.ts';
import { findExactTable, findTable } from './inspect/find-table.ts';
import { inspectTable } from './inspect/inspect-table.ts';
import { cutName } from './sql-name.ts';
import { readTableRecords, type KeptRecord } from './table-record.ts';

/** A table of a skill as it stands in the database, beside what is known about it. */
export interface SchemaGround {
  readonly place: SchemaPlace;
  readonly table: Table;
  /** Where it is, or will be. */
  readonly name: TableName;
  readonly existing?: ExistingTable;
  readonly kept?: KeptRecord;
  readonly columns: readonly AssignedColumn[];
  /** Those of the key. */
  readonly key: readonly AssignedColumn[];
}

/** What there is: the table that the descriptor names, else that of the last time, else the one that its title means. */
export async function readSchemaGround(place: SchemaPlace, table: Table): Promise<SchemaGround> {
  const records = await readTableRecords(place);
  const existing = await findExisting(place, table, records);
  const name = existing ?? (await newName(place, table));
  const kept = existing && records.find(({ record }) => isSame(record, existing));
  const columns = assignColumns(place.kind, table, existing, kept?.record);
  return {
    place,
    table,
    name: nameOf(name),
    columns,
    key: columns.filter(({ field }) => field.key !== undefined),
    ...(existing === undefined ? {} : { existing }),
    ...(kept === undefined ? {} : { kept }),
  };
}

async function findExisting(
  place: SchemaPlace,
  { name, databaseTable }: Table,
  records: readonly KeptRecord[],
): Promise<ExistingTable | undefined> {
  if (databaseTable !== undefined) return findExactTable(place, databaseTable);
  const last = records.find(({ record }) => record.title === name);
  return (last && (await inspectTable(place, last.record))) ?? findTable(place, name);
}

async function newName({ kind, run }: SchemaPlace, { sqlName, databaseTable }: Table): Promise<TableName> {
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
