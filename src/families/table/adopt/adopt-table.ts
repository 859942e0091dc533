import { sql } from 'kysely';
import { AgentError, didYouMean, normaliseKey, unsafeKeys, type Database } from '../../../core/index.ts';
import type { ExistingColumn, ExistingTable, SchemaPlace } from '../schema/inspect/existing-table.ts';
import { findTable } from '../schema/inspect/find-table.ts';
import { listTables } from '../schema/inspect/list-tables.ts';
import { readLinks } from '../schema/inspect/read-links.ts';
import { sqlName } from '../schema/sql-name.ts';
import { runPiece } from '../sql/run-piece.ts';
import { describeField } from './describe-field.ts';
import { readChecks } from './read-checks.ts';
import { writeDescriptor } from './write-descriptor.ts';

/** Describes a table or view of a database in a descriptor that it fits without a change. */
export async function adoptTable(
  name: string,
  {
    what,
    place: where,
    database,
  }: { readonly what: string; readonly place: string; readonly database: Database },
): Promise<Readonly<Record<string, string>>> {
  const place: SchemaPlace = { kind: database.kind, run: database.read.bind(database) };
  const table = (await findTable(place, what)) ?? (await missing(place, what, where));
  if (table.columns.length === 0) {
    throw new AgentError('usage.bad-input', `"${what}" has no columns that can be read.`, {
      hint: 'Name another table.',
    });
  }
  const key = keyOf(table);
  const names = buildFieldNames(table.columns);
  const checks = await readChecks(place, table);
  const fields = [];
  for (const column of table.columns)
    fields.push(await describeField({ place, table, column, names, key, values: checks.get(column.name) }));
  return {
    'tskill.md': writeDescriptor({
      name,
      table,
      fields,
      names,
      spelt: await speltIn(place, table),
      comment: await readTableComment(place, table),
      hasKey: key.isReal,
      links: await readLinks(place, table),
    }),
  };
}

/** The columns that identify a record; all that can be told apart where the database knows none. */
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

/** With its schema in front where it is not found without. */
async function speltIn(place: SchemaPlace, { schema, table }: ExistingTable): Promise<string> {
  const isNear = (await listTables(place)).some((near) => near.table === table && near.schema === schema);
  return schema === undefined || isNear ? table : `${schema}.${table}`;
}

async function missing(place: SchemaPlace, what: string, where: string): Promise<never> {
  const names = (await listTables(place))
    .map(({ table }) => table)
    .filter((table) => !table.startsWith('skilled_'));
  const known = names.slice(0, 20).join(', ');
  throw new AgentError('usage.not-found', `There is no table "${what}" in ${where}.`, {
    hint: didYouMean(what, names) ?? (known === '' ? 'It has no tables.' : `Its tables are ${known}.`),
  });
}

const plain = /^[\p{L}\p{N}]+(?:[_ -][\p{L}\p{N}]+)*$/u;

/** The name of the field for each column: its own where a heading can hold it and no other one is the same in another spelling. */
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

/** What people wrote about a table; empty when nobody did, and in SQLite, which has no place for it. */
async function readTableComment(place: SchemaPlace, table: ExistingTable): Promise<string> {
  if (place.kind === 'sqlite') return '';
  const [row] = await runPiece(
    place,
    sql`select obj_description(c.oid, 'pg_class') as text from pg_catalog.pg_class c
        join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where c.relname = ${table.table} and n.nspname = ${table.schema ?? ''}`,
  );
  return typeof row?.['text'] === 'string' ? row['text'] : '';
}
