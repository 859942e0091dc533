import { sql } from 'kysely';
import type { FieldType, RolePolicy } from '../descriptor/definition.ts';
import { fullName } from '../sql/full-name.ts';
import { runPiece } from '../sql/run-piece.ts';
import type { SchemaPlace, TableName } from './inspect/existing-table.ts';
import type { StorageForm } from './physical.ts';

/** A field with its column, as they were when the table was last opened by a descriptor. */
export interface RecordedField {
  readonly field: string;
  readonly column: string;
  readonly type: FieldType;
  readonly form: StorageForm;
  readonly sqlType: string;
  readonly references?: { readonly table: string; readonly field?: string };
}

/** What is kept in the database about a table of a skill, in `skilled_tables`. */
export interface TableRecord extends TableName {
  /** As people call it. */
  readonly title: string;
  /** Whether it was made for a skill, and not found. */
  readonly isOwn: boolean;
  readonly fields: readonly RecordedField[];
  /** The widest policy that was approved; null when everyone may read and write. */
  readonly roles: Pick<RolePolicy, 'read' | 'write'> | null;
}

/** A record, and how often it was written. */
export interface KeptRecord {
  readonly record: TableRecord;
  readonly version: number;
}

/** All that is kept about tables; empty while nothing is. */
export async function readTableRecords(place: SchemaPlace): Promise<readonly KeptRecord[]> {
  if (!(await hasRecords(place))) return [];
  const rows = await runPiece(place, sql`select body, version from skilled_tables order by name`);
  return rows.map(({ body, version }) => ({
    record: JSON.parse(String(body)) as TableRecord,
    version: Number(version),
  }));
}

/** How often what is kept about a table was written; undefined when nothing is kept about it. */
export async function readTableVersion(place: SchemaPlace, name: TableName): Promise<number | undefined> {
  const [row] = await runPiece(place, sql`select version from skilled_tables where name = ${fullName(name)}`);
  return row === undefined ? undefined : Number(row['version']);
}

/** Keeps a record, inside the transaction that makes it true. */
export async function keepTableRecord(place: SchemaPlace, record: TableRecord): Promise<void> {
  await runPiece(
    place,
    sql`create table if not exists skilled_tables (
        name text not null primary key, title text not null, body text not null, version integer not null)`,
  );
  await runPiece(
    place,
    sql`insert into skilled_tables (name, title, body, version)
        values (${fullName(record)}, ${record.title}, ${JSON.stringify(record)}, 1)
        on conflict (name) do update
          set title = excluded.title, body = excluded.body, version = skilled_tables.version + 1`,
  );
}

/** Whether anything is kept in the database about tables. */
async function hasRecords(place: SchemaPlace): Promise<boolean> {
  const rows = await runPiece(
    place,
    place.kind === 'sqlite'
      ? sql`select 1 as found from sqlite_master where name = 'skilled_tables'`
      : sql`select 1 as found where to_regclass('skilled_tables') is not null`,
  );
  return rows.length > 0;
}
