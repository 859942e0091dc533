import { foldText, type SqlRow } from '../../core/index.ts';
import type { DatabaseCatalog, ExistingTable, SqlExecutor, TableName } from './existing-table.ts';
import { cutName, matchName } from './names.ts';
import { runPiece } from './pieces.ts';
import { postgresCatalog } from './postgres-catalog.ts';
import { sqliteCatalog } from './sqlite-catalog.ts';

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

/** Returns the table's comment, or an empty string if it has none. */
export async function readComment(executor: SqlExecutor, table: ExistingTable): Promise<string> {
  const query = catalogOf(executor).comment?.(table);
  const [row] = query === undefined ? [] : await runPiece(executor, query);
  return typeof row?.['text'] === 'string' ? row['text'] : '';
}

const check = /check\s*\((?:[^()']|'(?:[^']|'')*'|\((?:[^()']|'(?:[^']|'')*')*\))*\)/gi;

/** Returns a table's check constraints. SQLite keeps them in the text of the statement. */
export async function readChecks(executor: SqlExecutor, table: ExistingTable): Promise<readonly string[]> {
  const rows = await runPiece(executor, catalogOf(executor).checks(table));
  const texts = rows.map(({ text }) => String(text));
  return executor.kind === 'postgres' ? texts : texts.flatMap((text) => text.match(check) ?? []);
}
