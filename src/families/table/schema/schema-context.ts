import { optional, type Database } from '../../../core/index.ts';
import { findExactTable, findTable, inspectTable } from '../../../engines/sql/catalog.ts';
import { existingStorage, newStorage, type Storage } from '../../../engines/sql/column-types.ts';
import type {
  ExistingColumn,
  ExistingTable,
  SqlExecutor,
  TableName,
} from '../../../engines/sql/existing-table.ts';
import { cutName, matchName, sqlName } from '../../../engines/sql/names.ts';
import type { Field, Table } from '../table.ts';
import {
  readTableRecords,
  type RecordedField,
  type StoredTableRecord,
  type TableRecord,
} from './table-record.ts';

/** A skill's table in the database, with the information recorded about it. */
export interface SchemaContext {
  readonly executor: SqlExecutor;
  readonly table: Table;
  /** The table's name in the database, even if the table has not been created yet. */
  readonly name: TableName;
  readonly existing?: ExistingTable;
  readonly stored?: StoredTableRecord;
  /** Whether a skill created the table, or will create it. */
  readonly isOwn: boolean;
  readonly columns: readonly AssignedColumn[];
  /** The key's columns. */
  readonly key: readonly AssignedColumn[];
}

/** A field and its assigned column. */
export interface AssignedColumn {
  readonly field: Field;
  readonly name: string;
  /** The column in the database. Absent until the column is created. */
  readonly existing?: ExistingColumn;
  /** The form in which the column stores values, after any conversion. */
  readonly storage: Storage;
  /** Whether the existing column can store the field's values. */
  readonly isFit: boolean;
  /** The field's state as recorded when the table was last opened. */
  readonly recorded?: RecordedField;
}

/**
 * Finds and reads a skill's table: the one that the descriptor names or, if it names none, the previously
 * used table or the one that matches the title.
 */
export async function readSchemaContext(executor: SqlExecutor, table: Table): Promise<SchemaContext> {
  const records = await readTableRecords(executor);
  const existing = await findExisting(executor, table, records);
  const { schema, table: called } = existing ?? (await newName(executor, table));
  const stored =
    existing && records.find(({ record }) => record.schema === schema && record.table === called);
  const columns = assignColumns(executor.kind, table, existing, stored?.record);
  return {
    executor,
    table,
    name: { ...optional('schema', schema), table: called },
    columns,
    key: columns.filter(({ field }) => field.key !== undefined),
    isOwn: existing === undefined || stored?.record.isOwn === true,
    ...optional('existing', existing),
    ...optional('stored', stored),
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

/**
 * Assigns a column to each field: the declared one, the previously assigned one, or one with a matching name.
 * A field without a column gets an unused name. Pure.
 */
function assignColumns(
  kind: Database['kind'],
  { fields }: Table,
  existing: ExistingTable | undefined,
  record: TableRecord | undefined,
): readonly AssignedColumn[] {
  const all = existing?.columns ?? [];
  const free = new Map(all.map((column) => [column.name, column]));
  const recordedOf = new Map((record?.fields ?? []).map((entry) => [entry.field, entry]));
  const taken = new Map<Field, ExistingColumn>();
  const ways: readonly ((field: Field) => string | undefined)[] = [
    ({ column }) => column,
    ({ name, column }) => (column === undefined ? recordedOf.get(name)?.column : undefined),
    ({ name, column }) => (column === undefined ? name : undefined),
    ({ name, column }) =>
      column === undefined ? matchName([...free.keys()], name, (one) => one) : undefined,
  ];
  for (const nameFor of ways) {
    for (const field of fields) {
      if (taken.has(field)) continue;
      const column = free.get(nameFor(field) ?? '');
      if (column !== undefined && free.delete(column.name)) taken.set(field, column);
    }
  }

  const names = new Set(all.map(({ name }) => name.toLowerCase()));
  return fields.map((field) => {
    const column = taken.get(field);
    const storage = column && existingStorage(kind, field.type, column);
    return {
      field,
      name: column?.name ?? freeName(field, names),
      ...optional('existing', column),
      storage: storage ?? newStorage(kind, field.type),
      isFit: column === undefined || storage !== undefined,
      ...optional('recorded', recordedOf.get(field.name)),
    };
  });
}

// The names of the system columns of all PostgreSQL tables, and SQLite's names for the row id.
const system = new Set(['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid', 'oid', 'rowid', '_rowid_']);

function freeName({ name: field, column }: Field, names: Set<string>): string {
  const plain = column === undefined ? sqlName(field) : cutName(column);
  const base = system.has(plain) ? `${plain}_` : plain;
  let name = base;
  for (let count = 2; names.has(name.toLowerCase()); count++) name = cutName(`${base}_${count}`);
  names.add(name.toLowerCase());
  return name;
}
