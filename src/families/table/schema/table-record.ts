import { sql } from 'kysely';
import type { FieldType, RolePolicy } from '../descriptor/definition.ts';
import { fullName, runPiece } from '../sql.ts';
import type { DatabaseCatalog, SqlExecutor, TableName } from './existing-table.ts';
import type { StorageForm } from './storage.ts';

/** A field and its column, as they were when the table was last opened. */
export interface RecordedField {
  readonly field: string;
  readonly column: string;
  readonly type: FieldType;
  readonly form: StorageForm;
  readonly sqlType: string;
  readonly references?: { readonly table: string; readonly field?: string };
}

/** The information about a skill's table that is recorded in the database, in `skilled_tables`. */
export interface TableRecord extends TableName {
  /** The table's title. */
  readonly title: string;
  /** Whether a skill created the table. False if the table already existed. */
  readonly isOwn: boolean;
  readonly fields: readonly RecordedField[];
  /** The broadest approved policy. If null, everyone may read and write. */
  readonly roles: Pick<RolePolicy, 'read' | 'write'> | null;
}

/** A table record and its version: the number of times the record was written. */
export interface StoredTableRecord {
  readonly record: TableRecord;
  readonly version: number;
}

/** Returns all table records, or an empty list if there are none. */
export async function readTableRecords(
  executor: SqlExecutor,
  { exists }: Pick<DatabaseCatalog, 'exists'>,
): Promise<readonly StoredTableRecord[]> {
  if ((await runPiece(executor, exists('skilled_tables'))).length === 0) return [];
  const rows = await runPiece(executor, sql`select body, version from skilled_tables order by name`);
  return rows.map(({ body, version }) => ({
    record: JSON.parse(String(body)) as TableRecord,
    version: Number(version),
  }));
}

/** Returns how many times a table's record was written, or undefined if it has no record. */
export async function readTableVersion(executor: SqlExecutor, name: TableName): Promise<number | undefined> {
  const query = sql`select version from skilled_tables where name = ${fullName(name)}`;
  const [row] = await runPiece(executor, query);
  return row === undefined ? undefined : Number(row['version']);
}

/** Saves a table record. Must be called in the same transaction as the changes that it describes. */
export async function saveTableRecord(executor: SqlExecutor, record: TableRecord): Promise<void> {
  await runPiece(
    executor,
    sql`create table if not exists skilled_tables (
        name text not null primary key, title text not null, body text not null, version integer not null)`,
  );
  await runPiece(
    executor,
    sql`insert into skilled_tables (name, title, body, version)
        values (${fullName(record)}, ${record.title}, ${JSON.stringify(record)}, 1)
        on conflict (name) do update
          set title = excluded.title, body = excluded.body, version = skilled_tables.version + 1`,
  );
}
