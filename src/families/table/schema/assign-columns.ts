import type { Database } from '../../../core/index.ts';
import type { Field, Table } from '../table.ts';
import type { ExistingColumn, ExistingTable } from './inspect/existing-table.ts';
import { matchName } from './match-name.ts';
import type { Storage } from './physical.ts';
import { cutName, sqlName } from './sql-name.ts';
import { existingStorage, newStorage } from './storage.ts';
import type { RecordedField, TableRecord } from './table-record.ts';

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
 * Assigns a column to each field: the declared one, the previously assigned one, or one with a matching name.
 * A field without a column gets an unused name. Pure.
 */
export function assignColumns(
  kind: Database['kind'],
  { fields }: Table,
  existing: ExistingTable | undefined,
  record: TableRecord | undefined,
): readonly AssignedColumn[] {
  const free = new Map((existing?.columns ?? []).map((column) => [column.name, column]));
  const taken = new Map<Field, ExistingColumn>();
  const recordedOf = new Map((record?.fields ?? []).map((entry) => [entry.field, entry]));
  const take = (field: Field, column: ExistingColumn | undefined): void => {
    if (column === undefined || taken.has(field) || !free.delete(column.name)) return;
    taken.set(field, column);
  };
  const named = fields.filter(({ column }) => column !== undefined);
  const unnamed = fields.filter(({ column }) => column === undefined);
  for (const field of named) take(field, free.get(field.column ?? ''));
  for (const field of unnamed) take(field, free.get(recordedOf.get(field.name)?.column ?? ''));
  for (const field of unnamed) take(field, free.get(field.name));
  for (const field of unnamed)
    take(
      field,
      matchName([...free.values()], field.name, ({ name }) => name),
    );

  const names = new Set((existing?.columns ?? []).map(({ name }) => name.toLowerCase()));
  return fields.map((field) => {
    const column = taken.get(field);
    const recorded = recordedOf.get(field.name);
    const currentStorage = column && existingStorage(kind, field.type, column);
    return {
      field,
      name: column?.name ?? freeName(field, names),
      ...(column === undefined ? {} : { existing: column }),
      storage: currentStorage ?? newStorage(kind, field.type),
      isFit: column === undefined || currentStorage !== undefined,
      ...(recorded === undefined ? {} : { recorded }),
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
