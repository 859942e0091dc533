import { sql } from 'kysely';
import { optional } from '../../../core/index.ts';
import { foldText } from '../request/matches.ts';
import type { ExistingTable, TableName } from '../schema/existing-table.ts';
import {
  findExactTable,
  findReferenced,
  findTable,
  inspectTable,
  readLinks,
  readReferrers,
} from '../schema/find-tables.ts';
import { matchName } from '../schema/sql-name.ts';
import { tablePiece } from '../sql.ts';
import type { Field } from '../table.ts';
import type { Change, Changes } from './change.ts';
import { findExisting, type WriteCheck, type ColumnTarget } from './checks.ts';
import {
  keyOf,
  keyText,
  showJson,
  showKey,
  type RecordColumn,
  type RecordsContext,
} from './records-context.ts';

type References = NonNullable<Field['references']>;

/** Lists checks that every reference in the changed records has a target after the write. */
export async function* referenceChecks(context: RecordsContext): AsyncGenerator<WriteCheck> {
  const links = await ownLinks(context);
  for (const column of context.columns) {
    const { name } = column.field;
    const references = column.field.references ?? links.get(foldText(context.physical.columnOf(name)));
    if (references === undefined) continue;
    yield {
      of: 'set',
      columns: [column],
      field: name,
      async find(values) {
        const target = await findReferenced(context, references);
        const there =
          target &&
          (await findExisting(
            context,
            { from: tablePiece(target), name: sql.id(target.column) },
            column,
            values,
          ));
        return ({ text, key: [value = null] }) => {
          if (there?.has(text) === true) return undefined;
          const why = there === undefined ? missing(references) : `there is no ${showJson(value)} in it`;
          return `"${name}" refers to ${target?.title ?? references.table}, and ${why}.`;
        };
      },
    };
  }
}

/** Returns a table's foreign keys in SQLite, keyed by column. SQLite does not enforce them by default. */
async function ownLinks(context: RecordsContext): Promise<ReadonlyMap<string, References>> {
  if (context.kind !== 'sqlite') return new Map();
  const links = await readLinks(context, { table: context.physical.table });
  return new Map(
    links.flatMap(({ direction, column, otherTable, otherColumn }) => {
      if (direction === 'in' || column === undefined) return [];
      return [[foldText(column), { table: otherTable, ...optional('field', otherColumn) }]];
    }),
  );
}

function missing({ table, field }: References): string {
  return field === undefined
    ? `there is no table "${table}" with a key of one column`
    : `there is no table "${table}" with a column "${field}"`;
}

/**
 * Lists checks for records that cannot be deleted because PostgreSQL would also delete or change records that
 * the user was not shown. They run before the deletion, because those records could not be found afterwards.
 */
export async function* cascadeChecks(context: RecordsContext, changes: Changes): AsyncGenerator<WriteCheck> {
  const { kind, columns, physical } = context;
  const gone = changes.flatMap((change) => (change.kind === 'delete' ? [change.before] : []));
  if (kind !== 'postgres' || gone.length === 0) return;
  for (const { acts, column: name, otherTable, otherColumn = '' } of await readLinks(
    context,
    tableName(context),
  )) {
    if (acts !== true) continue;
    const column = columns.find(({ field }) => physical.columnOf(field.name) === name);
    const other = column && (await findExactTable(context, otherTable));
    yield {
      of: 'deleted',
      columns: column === undefined || other === undefined ? [] : [column],
      async find(values) {
        const isOwn = other?.schema === physical.schema && other?.table === physical.table;
        const going = isOwn ? new Set(gone.map((row) => keyText(keyOf(context, row)))) : undefined;
        const target = other && { from: tablePiece(other), name: sql.id(otherColumn) };
        const needed = column && target && (await findExisting(context, target, column, values, going));
        return ({ text }, index) =>
          needed?.has(text) === false ? undefined : cannotDelete(context, changes[index], otherTable);
      },
    };
  }
}

/**
 * Lists checks that values referenced by other records still exist after the write. A change is rejected if
 * the references cannot be looked up.
 */
export async function* referrerChecks(context: RecordsContext, changes: Changes): AsyncGenerator<WriteCheck> {
  if (changes.every(({ kind }) => kind === 'add')) return;
  for (const referrer of await findReferrers(context)) {
    const { column } = referrer;
    if ('unknown' in referrer) {
      const columns = column === undefined ? [] : [column];
      yield { of: 'lost', columns, find: () => Promise.resolve(() => referrer.unknown) };
      continue;
    }
    const { title, from, name } = referrer;
    yield {
      of: 'lost',
      columns: [referrer.column],
      field: referrer.column.field.name,
      async find(values) {
        const needed = await findExisting(context, { from, name }, referrer.column, values);
        if (needed.size === 0) return () => undefined;
        const own = { from: context.from, name: referrer.column.name };
        const left = await findExisting(context, own, referrer.column, values);
        return ({ text, key: [value = null] }, index) => {
          const change = changes[index];
          if (!needed.has(text) || left.has(text) || change === undefined) return undefined;
          if (change.kind !== 'update') return cannotDelete(context, change, title);
          const record = showKey(context, keyOf(context, change.before));
          return `"${referrer.column.field.name}" of ${record} cannot change from ${showJson(value)} because ${title} refers to it.`;
        };
      },
    };
  }
}

function cannotDelete(context: RecordsContext, change: Change | undefined, title: string): string {
  const row = change?.kind === 'delete' ? change.before : {};
  return `The record ${showKey(context, keyOf(context, row))} cannot be deleted because ${title} refers to it.`;
}

/** A reference to a table's records. `unknown` is a sentence that says why its values cannot be looked up. */
type Referring =
  | (ColumnTarget & { readonly column: RecordColumn; readonly title: string; readonly id: string })
  | { readonly column: RecordColumn | undefined; readonly unknown: string };

/**
 * Finds all references to a table: those from other descriptors as recorded in the database, foreign keys,
 * and those from the table's own descriptor. Of several names for the same reference, keeps the first.
 */
async function findReferrers(context: RecordsContext): Promise<readonly Referring[]> {
  const { table, key } = context;
  const found: Referring[] = [];
  const name = tableName(context);
  for (const referrer of await readReferrers(context, { ...name, name: table.name })) {
    const existing = await inspectTable(context, referrer);
    found.push(
      referringOf(context, { ...referrer, existing, field: referrer.from.column, to: referrer.field }),
    );
  }
  for (const { direction, column, otherTable: title, otherColumn: field = '' } of await readLinks(
    context,
    name,
  )) {
    if (direction === 'out') continue;
    const existing = await findExactTable(context, title);
    const to = column === undefined ? undefined : (fieldIn(context, column) ?? '');
    found.push(referringOf(context, { title, existing, field, to }));
  }
  for (const { referencedBy, references, field: ownField } of table.relationships) {
    if (referencedBy === undefined) continue;
    const { table: title, field = '' } = referencedBy;
    const own = references === undefined ? ownField : undefined;
    const to = own ?? (key.length === 1 ? undefined : field);
    found.push(referringOf(context, { title, existing: await findTable(context, title), field, to }));
  }
  const idOf = (one: Referring): string => ('unknown' in one ? one.unknown : one.id);
  return found.filter((one, at) => found.findIndex((other) => idOf(other) === idOf(one)) === at);
}

interface Named {
  readonly title: string;
  readonly existing: ExistingTable | undefined;
  /** The referring field in the other table. */
  readonly field: string;
  /** The referenced field. Defaults to the key. */
  readonly to: string | undefined;
}

function referringOf(context: RecordsContext, { title, existing, field, to }: Named): Referring {
  const { table, key, columnOf } = context;
  const named = to === undefined ? (key.length === 1 ? key[0]?.field : undefined) : table.find(to);
  const column = named && columnOf(named.name);
  const refuse = (why: string): Referring => ({
    column,
    unknown: `${title} might refer to records in ${table.name}, but this cannot be checked: ${why}.`,
  });
  if (existing === undefined) return refuse('there is no such table');
  const other = matchName(existing.columns, field, ({ name }) => name);
  if (other === undefined) return refuse(`it has no column "${field}"`);
  if (column === undefined) return refuse('it is not known which of their fields it refers to');
  return {
    column,
    title,
    from: tablePiece(existing),
    name: sql.id(other.name),
    id: JSON.stringify([existing.schema, existing.table, other.name, column.field.name]),
  };
}

/** Finds a field by its column name. Ignores case, as SQLite does. */
function fieldIn({ table, physical }: RecordsContext, column: string): string | undefined {
  const fits = (name: string): boolean => foldText(physical.columnOf(name)) === foldText(column);
  return table.fields.find(({ name }) => fits(name))?.name;
}

function tableName({ physical: { schema, table } }: RecordsContext): TableName {
  return { ...optional('schema', schema), table };
}
