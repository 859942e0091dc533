import type { SqlRow } from '../../../core/index.ts';
import { foldText } from '../request/matches.ts';
import { runPiece } from '../sql.ts';
import type { DatabaseCatalog, ExistingTable, SqlExecutor, TableName } from './existing-table.ts';
import { postgresCatalog } from './postgres-catalog.ts';
import { cutName, matchName, sqlName } from './sql-name.ts';
import { sqliteCatalog } from './sqlite-catalog.ts';
import { readTableRecords, type RecordedField } from './table-record.ts';

/** Returns the queries for a kind of database. */
export function catalogOf({ kind }: Pick<SqlExecutor, 'kind'>): DatabaseCatalog {
  return kind === 'sqlite' ? sqliteCatalog : postgresCatalog;
}

/** Reads a table or view from the database. Returns undefined if it does not exist. */
export function inspectTable(executor: SqlExecutor, name: TableName): Promise<ExistingTable | undefined> {
  return catalogOf(executor).inspect(executor, name);
}

/** Lists all tables and views that can be named without a schema, in search path order. */
export async function listTables(executor: SqlExecutor): Promise<readonly TableName[]> {
  const rows = await runPiece(executor, catalogOf(executor).tables);
  return rows.map(({ schema, name }) => ({
    ...(typeof schema === 'string' ? { schema } : {}),
    table: String(name),
  }));
}

/**
 * Finds a table or view by name: an exact match or, if there is none, the only match in another spelling. A
 * name in another schema must be qualified. Returns undefined if nothing matches.
 */
export async function findTable(executor: SqlExecutor, name: string): Promise<ExistingTable | undefined> {
  const found = matchName(await listTables(executor), name, ({ table }) => table) ?? inSchema(executor, name);
  return found && inspectTable(executor, found);
}

/**
 * Finds the table or view with exactly this name, or with this name as truncated by the database. The name
 * can be qualified with a schema. In SQLite, case is ignored.
 */
export async function findExactTable(
  executor: SqlExecutor,
  name: string,
): Promise<ExistingTable | undefined> {
  const tables = await listTables(executor);
  const fold = executor.kind === 'sqlite' ? foldText : String;
  const find = (called: string): TableName | undefined =>
    tables.find(({ table }) => fold(table) === fold(called));
  const found = find(name) ?? find(cutName(name)) ?? inSchema(executor, name);
  return found && inspectTable(executor, found);
}

function inSchema({ kind }: SqlExecutor, name: string): TableName | undefined {
  const dot = name.indexOf('.');
  if (kind === 'sqlite' || dot <= 0) return undefined;
  return { schema: name.slice(0, dot), table: name.slice(dot + 1) };
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
  const records = (await readTableRecords(executor, catalogOf(executor))).map(({ record }) => record);
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
  const records = (await readTableRecords(executor, catalogOf(executor))).map(({ record }) => record);
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

/** A single-column foreign key from or to the inspected table. */
export interface Link {
  readonly direction: 'out' | 'in';
  /** The column in the inspected table. Absent if it is that table's key. */
  readonly column?: string;
  readonly otherTable: string;
  /** The column in the other table. Absent if it is that table's key. */
  readonly otherColumn?: string;
  /** Set if the database deletes or changes referring rows when the referenced row is deleted. */
  readonly acts?: true;
}

/** Reads single-column foreign keys from and to a table. Multi-column keys are not included. */
export async function readLinks(executor: SqlExecutor, table: TableName): Promise<readonly Link[]> {
  const rows = await runPiece(executor, catalogOf(executor).links(table));
  return rows.map(({ direction, own, other, target, acts }: SqlRow) => ({
    direction: direction === 'in' ? 'in' : 'out',
    ...(typeof own === 'string' ? { column: own } : {}),
    otherTable: String(other),
    ...(typeof target === 'string' ? { otherColumn: target } : {}),
    ...(acts === true ? { acts } : {}),
  }));
}
