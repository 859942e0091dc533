import { foldText } from '../../request/compare-values.ts';
import type { ExistingTable, SchemaPlace, TableName } from './existing-table.ts';
import { inspectTable } from './inspect-table.ts';
import { listTables } from './list-tables.ts';
import { matchName } from '../match-name.ts';
import { cutName } from '../sql-name.ts';

/**
 * The table or view that a name means: the one that is called so, with its schema in front where it is another one; else
 * the only one that is called so in another spelling. Undefined when there is none.
 */
export async function findTable(place: SchemaPlace, name: string): Promise<ExistingTable | undefined> {
  const found = matchName(await listTables(place), name, ({ table }) => table) ?? inSchema(place, name);
  return found === undefined ? undefined : inspectTable(place, found);
}

/**
 * The table or view that is called exactly so, perhaps with its schema in front, or as far as databases take a name. To
 * SQLite names that differ only by case are one.
 */
export async function findExactTable(place: SchemaPlace, name: string): Promise<ExistingTable | undefined> {
  const tables = await listTables(place);
  const names = [name, cutName(name)];
  const found = names.map((one) => tables.find(({ table }) => isCalled(place, table, one))).find(Boolean);
  const meant = found ?? inSchema(place, name);
  return meant === undefined ? undefined : inspectTable(place, meant);
}

function isCalled({ kind }: SchemaPlace, table: string, name: string): boolean {
  return table === name || (kind === 'sqlite' && foldText(table) === foldText(name));
}

function inSchema({ kind }: SchemaPlace, name: string): TableName | undefined {
  const dot = name.indexOf('.');
  if (kind === 'sqlite' || dot <= 0) return undefined;
  return { schema: name.slice(0, dot), table: name.slice(dot + 1) };
}
