import type { Database } from '../../../core/index.ts';
import type { Field, Table } from '../table.ts';
import type { ExistingColumn, ExistingTable } from './inspect/existing-table.ts';
import { matchName } from './match-name.ts';
import type { Storage } from './physical.ts';
import { cutName, sqlName } from './sql-name.ts';
import { existingStorage, newStorage } from './storage.ts';
import type { RecordedField, TableRecord } from './table-record.ts';

/** A field with its column. */
export interface AssignedColumn {
  readonly field: Field;
  readonly name: string;
  /** Absent while the column is to be made. */
  readonly existing?: ExistingColumn;
  /** How the values of the field are kept once the column is as it should be. */
  readonly storage: Storage;
  /** Whether the column, as it is, can keep them. */
  readonly isFit: boolean;
  /** What was kept of the field the last time. */
  readonly recorded?: RecordedField;
}

/** Which column is whose: that of the last time, else by name; a field without one gets a name that is free. Pure. */
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
    const kept = column && existingStorage(kind, field.type, column);
    return {
      field,
      name: column?.name ?? freeName(field, names),
      ...(column === undefined ? {} : { existing: column }),
      storage: kept ?? newStorage(kind, field.type),
      isFit: column === undefined || kept !== undefined,
      ...(recorded === undefined ? {} : { recorded }),
    };
  });
}

// Columns that every table of PostgreSQL has, and names of the number of a row in SQLite.
const system = new Set(['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid', 'oid', 'rowid', '_rowid_']);

function freeName({ name: field, column }: Field, names: Set<string>): string {
  const plain = column === undefined ? sqlName(field) : cutName(column);
  const base = system.has(plain) ? `${plain}_` : plain;
  let name = base;
  for (let count = 2; names.has(name.toLowerCase()); count++) name = cutName(`${base}_${count}`);
  names.add(name.toLowerCase());
  return name;
}
