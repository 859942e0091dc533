import { sql } from 'kysely';
import { AgentError, didYouMean, normaliseKey, unsafeKeys, type Database } from '../../../core/index.ts';
import type { ExistingColumn, ExistingTable, SqlExecutor } from '../schema/inspect/existing-table.ts';
import { findTable } from '../schema/inspect/find-table.ts';
import { listTables } from '../schema/inspect/list-tables.ts';
import { readLinks } from '../schema/inspect/read-links.ts';
import { sqlName } from '../schema/sql-name.ts';
import { runPiece } from '../sql.ts';
import { describeField } from './describe-field.ts';
import { readChecks } from './read-checks.ts';
import { writeDescriptor } from './write-descriptor.ts';

/** Writes a descriptor that matches an existing database table or view. */
export async function adoptTable(
  name: string,
  {
    what,
    location: where,
    database,
  }: { readonly what: string; readonly location: string; readonly database: Database },
): Promise<Readonly<Record<string, string>>> {
  const executor: SqlExecutor = { kind: database.kind, run: database.read.bind(database) };
  const table = (await findTable(executor, what)) ?? (await missing(executor, what, where));
  if (table.columns.length === 0) {
    throw new AgentError('usage.bad-input', `"${what}" has no readable columns.`, {
      hint: 'Name another table.',
    });
  }
  const key = keyOf(table);
  const names = buildFieldNames(table.columns);
  const checks = await readChecks(executor, table);
  const fields = [];
  for (const column of table.columns)
    fields.push(
      await describeField({ executor, table, column, names, key, values: checks.get(column.name) }),
    );
  return {
    'tskill.md': writeDescriptor({
      name,
      table,
      fields,
      names,
      spelt: await speltIn(executor, table),
      comment: await readTableComment(executor, table),
      hasKey: key.isReal,
      links: await readLinks(executor, table),
    }),
  };
}

/**
 * Returns the columns that identify a record. If the database has no key or unique index, returns all
 * sortable columns.
 */
function keyOf(table: ExistingTable): { readonly columns: readonly string[]; readonly isReal: boolean } {
  if (table.key.length > 0) return { columns: table.key, isReal: true };
  const required = new Set(table.columns.filter(({ isRequired }) => isRequired).map(({ name }) => name));
  const unique = table.indexes.find(
    ({ isUnique, columns }) => isUnique && columns.every((column) => required.has(column)),
  );
  if (unique !== undefined && !table.isView) return { columns: unique.columns, isReal: true };
  const sortable = table.columns.filter(
    ({ type }) => !/^(?:json|xml|point|line|lseg|box|path|polygon|circle)$/.test(type),
  );
  const columns = sortable.length > 0 ? sortable : table.columns;
  return { columns: columns.map((column) => column.name), isReal: false };
}

/** Returns the table's name, qualified with its schema if the table cannot be found by name alone. */
async function speltIn(executor: SqlExecutor, { schema, table }: ExistingTable): Promise<string> {
  const isNear = (await listTables(executor)).some((near) => near.table === table && near.schema === schema);
  return schema === undefined || isNear ? table : `${schema}.${table}`;
}

async function missing(executor: SqlExecutor, what: string, where: string): Promise<never> {
  const names = (await listTables(executor))
    .map(({ table }) => table)
    .filter((table) => !table.startsWith('skilled_'));
  const known = names.slice(0, 20).join(', ');
  throw new AgentError('usage.not-found', `There is no table "${what}" in ${where}.`, {
    hint:
      didYouMean(what, names) ?? (known === '' ? 'The database has no tables.' : `Its tables are ${known}.`),
  });
}

const plain = /^[\p{L}\p{N}]+(?:[_ -][\p{L}\p{N}]+)*$/u;

/**
 * Maps each column to a field name. The field has the column's name, unless a heading cannot contain that
 * name or it is a spelling variant of another column's name.
 */
function buildFieldNames(columns: readonly Pick<ExistingColumn, 'name'>[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const names = new Map<string, string>();
  for (const { name } of columns) {
    const own = plain.test(name) && name.length <= 100 ? name : sqlName(name);
    const base = unsafeKeys.has(own) ? `${own}_1` : own;
    let field = base;
    for (let count = 2; taken.has(normaliseKey(field)); count++) field = `${base}_${count}`;
    taken.add(normaliseKey(field));
    names.set(name, field);
  }
  return names;
}

/** Returns the table's comment, or an empty string if it has none. SQLite does not support table comments. */
async function readTableComment(executor: SqlExecutor, table: ExistingTable): Promise<string> {
  if (executor.kind === 'sqlite') return '';
  const [row] = await runPiece(
    executor,
    sql`select obj_description(c.oid, 'pg_class') as text from pg_catalog.pg_class c
        join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where c.relname = ${table.table} and n.nspname = ${table.schema ?? ''}`,
  );
  return typeof row?.['text'] === 'string' ? row['text'] : '';
}
