import { sql } from 'kysely';
import { catalogOf, findTable, inspectTable } from '../../../engines/sql/catalog.ts';
import type { StorageForm } from '../../../engines/sql/column-types.ts';
import type { SqlExecutor, TableName } from '../../../engines/sql/existing-table.ts';
import { matchName, sqlName } from '../../../engines/sql/names.ts';
import { fullName, runPiece } from '../../../engines/sql/pieces.ts';
import type { FieldType, RolePolicy } from '../descriptor/definition.ts';

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
export async function readTableRecords(executor: SqlExecutor): Promise<readonly StoredTableRecord[]> {
  if ((await runPiece(executor, catalogOf(executor).exists('skilled_tables'))).length === 0) return [];
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
  const { schema, table, columns, key } = existing;
  const recorded = field && matchName(record?.fields ?? [], field, (entry) => entry.field)?.column;
  const called = field && (recorded ?? matchName(columns, field, (column) => column.name)?.name);
  const keyColumn = key.length === 1 ? key[0] : undefined;
  const column = columns.find((one) => one.name === (field === undefined ? keyColumn : called));
  if (column === undefined) return undefined;
  const title = record?.title ?? table;
  return { ...(schema && { schema }), table, title, column: column.name, sqlType: column.type };
}

/** A column in another table whose values refer to this table. */
interface Referrer extends TableName {
  /** The other table's title. */
  readonly title: string;
  readonly from: RecordedField;
  /** The referenced field, by the name that the other table uses. Absent if it is the key. */
  readonly field?: string;
}

/**
 * Finds references to a table from all skill tables that were ever opened in the database, including the
 * table itself. Considers every name of the table: with and without its schema, and as used in this and other
 * descriptors.
 */
export async function readReferrers(
  executor: SqlExecutor,
  { schema: own = '', table, name }: TableName & { readonly name: string },
): Promise<readonly Referrer[]> {
  const records = (await readTableRecords(executor)).map(({ record }) => record);
  const isOwn = (record: TableName): boolean => record.table === table && (record.schema ?? '') === own;
  const titles = records.filter(isOwn).map(({ title }) => title);
  const names = new Set([table, `${own}.${table}`, name, ...titles].map(sqlName));
  return records.flatMap(({ schema, table: other, title, fields }) =>
    fields.flatMap((from) => {
      const { references } = from;
      if (references === undefined || !names.has(sqlName(references.table))) return [];
      const { field } = references;
      return [{ ...(schema && { schema }), table: other, title, from, ...(field && { field }) }];
    }),
  );
}
