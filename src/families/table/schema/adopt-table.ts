import {
  AgentError,
  didYouMean,
  normaliseKey,
  normaliseName,
  unsafeKeys,
  type TemplateSource,
} from '../../../core/index.ts';
import {
  findTable,
  listTables,
  readChecks,
  readComment,
  readLinks,
  type Link,
} from '../../../engines/sql/catalog.ts';
import type { ExistingColumn, ExistingTable, SqlExecutor } from '../../../engines/sql/existing-table.ts';
import { sqlName } from '../../../engines/sql/names.ts';
import { describeColumn, oneLine, type AdoptedTable } from './describe-column.ts';

/** Writes a descriptor that matches an existing database table or view. */
export async function adoptTable(
  name: string,
  { what, location, database }: TemplateSource,
): Promise<Readonly<Record<string, string>>> {
  const executor: SqlExecutor = { kind: database.kind, run: database.read.bind(database) };
  const table = (await findTable(executor, what)) ?? (await missing(executor, what, location));
  if (table.columns.length === 0) {
    throw new AgentError('usage.bad-input', `"${what}" has no readable columns.`, {
      hint: 'Name another table.',
    });
  }
  const [key, names] = [keyOf(table), buildFieldNames(table.columns)];
  const context = { executor, table, key, names, checks: await readChecks(executor, table) };
  const fields: string[] = [];
  for (const column of table.columns) fields.push(...(await describeColumn(context, column)));
  const title = titleOf(table);
  const spelt = await speltIn(executor, table);
  const hasOwnName = normaliseName(title) !== name;
  const parts = [
    ...(hasOwnName ? [`---\nname: ${JSON.stringify(name)}\n---`] : []),
    `# ${title} Skill`,
    '## Table Purpose',
    oneLine(await readComment(executor, table)) || `Records of ${title}.`,
    ...(key.isReal
      ? []
      : ['This table has no key in the database, so its records can be read but not changed.']),
    ...(hasOwnName || title !== spelt ? ['## Database Table', JSON.stringify(spelt)] : []),
    '## Fields',
    ...fields,
    ...describeLinks(await readLinks(executor, table), names),
  ];
  return { 'tskill.md': `${parts.join('\n\n')}\n` };
}

/**
 * Returns the columns that identify a record. If the database has no key or unique index, returns all
 * sortable columns.
 */
function keyOf(table: ExistingTable): AdoptedTable['key'] {
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
  const all = (await listTables(executor)).map(({ table }) => table);
  const names = all.filter((table) => !table.startsWith('skilled_'));
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

/** Returns the table's name without characters that are not allowed in a heading. */
function titleOf({ table }: ExistingTable): string {
  const bare = table
    .replace(/[^\p{L}\p{N}_.-]+/gu, ' ')
    .trim()
    .replace(/^[_.-]+|[_.-]+$/g, '')
    .replace(/(?:^|\s)skill$/i, '')
    .trim();
  return bare === '' ? 'Table' : bare;
}

function describeLinks(links: readonly Link[], names: ReadonlyMap<string, string>): readonly string[] {
  if (links.length === 0) return [];
  const lines = links.map(({ direction, column, otherTable, otherColumn }, index) => {
    const other = otherColumn === undefined ? otherTable : `${otherTable}.${otherColumn}`;
    const foreign = column === undefined ? [] : [`- Foreign: ${names.get(column) ?? column}`];
    const to = direction === 'out' ? `- Reference: ${other}` : `- Referenced By: ${other}`;
    // Replace line breaks, because a name must be on one line.
    return `### Link ${index + 1}\n\n${[...foreign, to].map((line) => line.replace(/\s+/g, ' ')).join('\n')}`;
  });
  return ['## Relationships', ...lines];
}
