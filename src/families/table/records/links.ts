import { foldText, optional } from '../../../core/index.ts';
import { findExactTable, findTable, inspectTable, readLinks } from '../../../engines/sql/catalog.ts';
import type { ExistingTable } from '../../../engines/sql/existing-table.ts';
import { matchName } from '../../../engines/sql/names.ts';
import { findReferenced, readReferrers } from '../schema/table-record.ts';
import type { Field } from '../table.ts';
import type { Change, Changes } from './change.ts';
import { findExisting, type ColumnTarget, type WriteCheck } from './checks.ts';
import {
  keyOf,
  keyText,
  showJson,
  showKey,
  type RecordColumn,
  type RecordColumns,
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
        const there = target && (await findExisting(context, target, column, values));
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
  const links = await readLinks(context, context.physical);
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
  const links = await readLinks(context, physical);
  for (const { acts, column: name, otherTable, otherColumn = '' } of links) {
    if (acts !== true) continue;
    const column = columns.find(({ field }) => physical.columnOf(field.name) === name);
    const other = column && (await findExactTable(context, otherTable));
    yield {
      of: 'deleted',
      columns: column === undefined || other === undefined ? [] : [column],
      async find(values) {
        const isOwn = other?.schema === physical.schema && other?.table === physical.table;
        const going = isOwn ? new Set(gone.map((row) => keyText(keyOf(context, row)))) : undefined;
        const target = other && { ...other, column: otherColumn };
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
    if ('unknown' in referrer) {
      const { columns, unknown } = referrer;
      yield { of: 'lost', columns, find: () => Promise.resolve(() => unknown) };
      continue;
    }
    const { title, column, target } = referrer;
    const { name } = column.field;
    yield {
      of: 'lost',
      columns: [column],
      field: name,
      async find(values) {
        const needed = await findExisting(context, target, column, values);
        if (needed.size === 0) return () => undefined;
        const own = { ...context.physical, column: context.physical.columnOf(name) };
        const left = await findExisting(context, own, column, values);
        return ({ text, key: [value = null] }, index) => {
          const change = changes[index];
          if (!needed.has(text) || left.has(text) || change === undefined) return undefined;
          if (change.kind !== 'update') return cannotDelete(context, change, title);
          const record = showKey(context, keyOf(context, change.before));
          return `"${name}" of ${record} cannot change from ${showJson(value)} because ${title} refers to it.`;
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
  | { readonly column: RecordColumn; readonly title: string; readonly target: ColumnTarget }
  | { readonly columns: RecordColumns; readonly unknown: string };

/**
 * Finds all references to a table: those from other descriptors as recorded in the database, foreign keys,
 * and those from the table's own descriptor. Of several names for the same reference, keeps the first.
 */
async function findReferrers(context: RecordsContext): Promise<readonly Referring[]> {
  const { table, key, physical } = context;
  const found = new Map<string, Referring>();
  const add = (named: Named): void => {
    const one = referringOf(context, named);
    const id =
      'unknown' in one
        ? one.unknown
        : JSON.stringify([one.target.schema, one.target.table, one.target.column, one.column.alias]);
    if (!found.has(id)) found.set(id, one);
  };
  for (const { title, from, field: to, ...name } of await readReferrers(context, {
    ...physical,
    name: table.name,
  }))
    add({ title, existing: await inspectTable(context, name), field: from.column, to });
  for (const { direction, column, otherTable: title, otherColumn: field = '' } of await readLinks(
    context,
    physical,
  ))
    if (direction === 'in') {
      const to = column === undefined ? undefined : (fieldIn(context, column) ?? '');
      add({ title, existing: await findExactTable(context, title), field, to });
    }
  for (const { referencedBy, references, field: ownField } of table.relationships)
    if (referencedBy !== undefined) {
      const { table: title, field = '' } = referencedBy;
      const own = references === undefined ? ownField : undefined;
      const to = own ?? (key.length === 1 ? undefined : field);
      add({ title, existing: await findTable(context, title), field, to });
    }
  return [...found.values()];
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
    columns: column === undefined ? [] : [column],
    unknown: `${title} might refer to records in ${table.name}, but this cannot be checked: ${why}.`,
  });
  if (existing === undefined) return refuse('there is no such table');
  const other = matchName(existing.columns, field, ({ name }) => name);
  if (other === undefined) return refuse(`it has no column "${field}"`);
  if (column === undefined) return refuse('it is not known which of their fields it refers to');
  return { column, title, target: { ...existing, column: other.name } };
}

/** Finds a field by its column name. Ignores case, as SQLite does. */
function fieldIn({ table, physical }: RecordsContext, column: string): string | undefined {
  const fits = (name: string): boolean => foldText(physical.columnOf(name)) === foldText(column);
  return table.fields.find(({ name }) => fits(name))?.name;
}
