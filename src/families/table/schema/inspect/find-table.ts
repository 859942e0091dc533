import { foldText } from '../../request/compare-values.ts';
import type { ExistingTable, SqlExecutor, TableName } from './existing-table.ts';
import { inspectTable } from './inspect-table.ts';
import { listTables } from './list-tables.ts';
import { matchName } from '../match-name.ts';
import { cutName } from '../sql-name.ts';

/**
 * Finds a table or view by name: an exact match or, if there is none, the only match in another spelling. A
 * name in another schema must be qualified. Returns undefined if nothing matches.
 */
export async function findTable(executor: SqlExecutor, name: string): Promise<ExistingTable | undefined> {
  const found = matchName(await listTables(executor), name, ({ table }) => table) ?? inSchema(executor, name);
  return found === undefined ? undefined : inspectTable(executor, found);
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
  const names = [name, cutName(name)];
  const found = names.map((one) => tables.find(({ table }) => isCalled(executor, table, one))).find(Boolean);
  const meant = found ?? inSchema(executor, name);
  return meant === undefined ? undefined : inspectTable(executor, meant);
}

function isCalled({ kind }: SqlExecutor, table: string, name: string): boolean {
  return table === name || (kind === 'sqlite' && foldText(table) === foldText(name));
}

function inSchema({ kind }: SqlExecutor, name: string): TableName | undefined {
  const dot = name.indexOf('.');
  if (kind === 'sqlite' || dot <= 0) return undefined;
  return { schema: name.slice(0, dot), table: name.slice(dot + 1) };
}
