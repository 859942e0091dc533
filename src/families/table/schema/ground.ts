import type { Table } from '../table.ts';
import { assignColumns, type AssignedColumn } from './assign-columns.ts';
import type { ExistingTable, SchemaPlace, TableName } from './existing-table.ts';
import { findTable } from './find-table.ts';
import { inspectTable } from './inspect-table.ts';
import { readTableRecords, type KeptRecord } from './table-record.ts';

/** A table of a skill as it stands in the database, beside what is known about it. */
export interface Ground {
  readonly place: SchemaPlace;
  readonly table: Table;
  /** Where it is, or will be. */
  readonly name: TableName;
  readonly existing?: ExistingTable;
  readonly kept?: KeptRecord;
  readonly columns: readonly AssignedColumn[];
}

/** What there is: the table that the descriptor meant the last time, else the one that its name means. */
export async function readGround(place: SchemaPlace, table: Table): Promise<Ground> {
  const records = await readTableRecords(place);
  const last = records.find(({ record }) => record.title === table.name);
  const existing = (last && (await inspectTable(place, last.record))) ?? (await findTable(place, table.name));
  const name = existing ?? (await newName(place, table));
  const kept = existing && records.find(({ record }) => isSame(record, existing));
  const columns = assignColumns(place.kind, table, existing, kept?.record);
  return {
    ...{ place, table, name: nameOf(name), columns },
    ...(existing === undefined ? {} : { existing }),
    ...(kept === undefined ? {} : { kept }),
  };
}

async function newName({ kind, run }: SchemaPlace, { sqlName: table }: Table): Promise<TableName> {
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
