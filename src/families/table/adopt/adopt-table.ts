import { AgentError, didYouMean, type Database } from '../../../core/index.ts';
import type { ExistingTable, SchemaPlace } from '../schema/existing-table.ts';
import { findTable } from '../schema/find-table.ts';
import { listTables } from '../schema/list-tables.ts';
import { readLinks } from '../schema/read-links.ts';
import { describeField } from './describe-field.ts';
import { buildFieldNames } from './field-names.ts';
import { readChecks } from './read-checks.ts';
import { readTableComment } from './read-comment.ts';
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
      ...{ name, table, fields, names },
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
