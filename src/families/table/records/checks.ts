import { sql } from 'kysely';
import { optional } from '../../../core/index.ts';
import type { TableName } from '../../../engines/sql/existing-table.ts';
import { tablePiece } from '../../../engines/sql/pieces.ts';
import type { TableRow } from '../table.ts';
import { sameJson, type Change, type ChangeFault, type Changes, type ChangeFaults } from './change.ts';
import {
  keyOf,
  keyText,
  readRow,
  readValues,
  runInParts,
  selectList,
  showJson,
  showKey,
  valuesIn,
  type Key,
  type RecordColumn,
  type RecordsContext,
  type RecordColumns,
} from './records-context.ts';

/** A rule about the values of changed records that only the database can decide. */
export interface WriteCheck {
  /**
   * The values to look up: those that changes write (`set`), those that changes replace or delete (`lost`),
   * or only those of deleted records. Without columns, the only value is that a record is deleted.
   */
  readonly of: 'set' | 'lost' | 'deleted';
  readonly columns: RecordColumns;
  /** The field to correct. Deletions have none. */
  readonly field?: string;
  /** Looks the values up. Returns a function that says what is wrong with the value of a change. */
  find(values: readonly ChangedValue[]): Promise<(value: ChangedValue, index: number) => string | undefined>;
}

/** A value, with the indexes of the changes that set or lose it. */
export interface ChangedValue {
  readonly key: Key;
  readonly text: string;
  readonly indexes: readonly [number, ...number[]];
}

/** Lists the checks of one kind. Later checks are created only after earlier ones were run. */
type ListChecks = (context: RecordsContext, changes: Changes) => AsyncIterable<WriteCheck>;

/** Runs checks and returns all faults, in the order of the changes. */
export async function runChecks(
  context: RecordsContext,
  changes: Changes,
  lists: readonly ListChecks[],
): Promise<ChangeFaults> {
  const faults: ChangeFault[] = [];
  for (const list of lists)
    for await (const check of list(context, changes)) {
      const values = changedValues(changes, check);
      if (values.length === 0) continue;
      const explain = await check.find(values);
      for (const value of values)
        for (const index of value.indexes) {
          const message = explain(value, index);
          if (message === undefined) continue;
          const hasField = check.field !== undefined && changes[index]?.kind !== 'delete';
          faults.push({ index, ...(hasField ? { field: check.field } : {}), message });
        }
    }
  return faults.sort((one, other) => one.index - other.index);
}

function changedValues(changes: Changes, check: Pick<WriteCheck, 'of' | 'columns'>): readonly ChangedValue[] {
  const found = new Map<string, { key: Key; text: string; indexes: [number, ...number[]] }>();
  for (const [index, change] of changes.entries()) {
    const key = changedValue(change, check);
    if (key === undefined) continue;
    const text = keyText(key);
    const known = found.get(text);
    if (known === undefined) found.set(text, { key, text, indexes: [index] });
    else known.indexes.push(index);
  }
  return [...found.values()];
}

function changedValue(change: Change, { of, columns }: Pick<WriteCheck, 'of' | 'columns'>): Key | undefined {
  if (change.kind === (of === 'set' ? 'delete' : 'add') || (of === 'deleted' && change.kind === 'update'))
    return undefined;
  const row = of === 'set' && 'after' in change ? change.after : 'before' in change ? change.before : {};
  const key = columns.map(({ field }) => row[field.name] ?? null);
  const isSame =
    change.kind === 'update' &&
    columns.every(({ field: { name } }) => sameJson(change.before[name], change.after[name]));
  return isSame || key.includes(null) ? undefined : key;
}

/** A column of any table. */
export interface ColumnTarget extends TableName {
  readonly column: string;
}

/**
 * Returns those of a column's values that occur in another column, as text. `except` has the keys of records
 * that do not count, if the other column belongs to the same table.
 */
export async function findExisting(
  context: RecordsContext,
  target: ColumnTarget,
  { toSql, fromSql }: RecordColumn,
  values: readonly ChangedValue[],
  except?: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const select = except === undefined ? sql`distinct` : sql`${selectList(context.key)},`;
  const parts = runInParts(context, values, (part) => {
    const list = sql.join(part.map(({ key: [value = null] }) => toSql(value)));
    const name = sql.id(target.column);
    return sql`select ${select} ${name} as value from ${tablePiece(target)} where ${name} in (${list})`;
  });
  for await (const { rows } of parts)
    for (const row of rows)
      if (except?.has(keyText(readValues(context.key, row))) !== true)
        found.add(keyText([fromSql(row['value'] ?? null)]));
  return found;
}

/** Lists checks for duplicates of the key and of unique fields, both among the changes and in the table. */
export async function* uniqueChecks(context: RecordsContext, changes: Changes): AsyncGenerator<WriteCheck> {
  const { key, columns } = context;
  yield uniqueCheck(context, changes, key);
  for (const column of columns)
    if (column.field.unique === true && !(key.length === 1 && key[0] === column))
      yield uniqueCheck(context, changes, [column]);
}

function uniqueCheck(context: RecordsContext, changes: Changes, columns: RecordColumns): WriteCheck {
  const { table, key, from } = context;
  const name = columns.length === 1 ? columns[0]?.field.name : undefined;
  return {
    of: 'set',
    columns,
    ...optional('field', name),
    async find(values) {
      const free = new Set<string>(); // The keys of records that give up their value.
      for (const change of changes)
        if (change.kind !== 'add' && changedValue(change, { of: 'lost', columns }) !== undefined)
          free.add(keyText(keyOf(context, change.before)));
      const owners = new Map<string, Key>();
      const parts = runInParts(context, values, (part) => {
        const fits = valuesIn(
          context,
          columns,
          part.map((value) => value.key),
        );
        return sql`select ${selectList(new Set([...key, ...columns]))} from ${from} where ${fits}`;
      });
      for await (const { rows } of parts)
        for (const row of rows) {
          const owner = readValues(key, row);
          if (!free.has(keyText(owner))) owners.set(keyText(readValues(columns, row)), owner);
        }
      return (value, index) => {
        const [first] = value.indexes;
        const owner = owners.get(value.text);
        if (index === first && owner === undefined) return undefined;
        if (columns === key)
          return index === first
            ? `${table.name} already has the record ${showKey(context, value.key)}.`
            : `Change ${first + 1} already uses the key ${showKey(context, value.key)}.`;
        const shown = showJson(value.key[0] ?? null);
        return index === first
          ? `"${name}" must be unique: the record ${showKey(context, owner ?? [])} already has ${shown}.`
          : `"${name}" must be unique, but change ${first + 1} already uses ${shown}.`;
      };
    },
  };
}

/** Checks changes as far as possible without reading the database. */
export function checkPlan(context: RecordsContext, changes: Changes): ChangeFaults {
  const faults: ChangeFault[] = [];
  const seen = new Map<string, number>();
  for (const [index, change] of changes.entries()) {
    const message = kindFault(context, change) ?? keyFault(context, change);
    if (message !== undefined) faults.push({ index, message });
    if (change.kind === 'add') continue;
    const key = keyOf(context, change.before);
    const earlier = seen.get(keyText(key));
    seen.set(keyText(key), earlier ?? index);
    if (earlier === undefined) continue;
    const again = `Change ${earlier + 1} already changes the record ${showKey(context, key)}.`;
    faults.push({ index, message: again });
  }
  return faults;
}

function kindFault({ table, physical }: RecordsContext, { kind }: Change): string | undefined {
  if (physical.readOnlyBecause !== undefined) return physical.readOnlyBecause;
  if (kind === 'add') return physical.closedBecause;
  if (kind === 'delete' && table.deleteGuard === 'unknown')
    return `No record of ${table.name} can be deleted because its delete guard is unknown.`;
  return undefined;
}

/** A new record must have a key unless the database generates it. A key cannot change. */
function keyFault({ key }: RecordsContext, change: Change): string | undefined {
  if (change.kind === 'delete') return undefined;
  const isGenerated = key.length === 1 && key[0]?.field.key === 'auto-increment';
  for (const { field } of key) {
    const value = change.after[field.name] ?? null;
    if (change.kind === 'add' && value === null && !isGenerated)
      return `"${field.name}" is part of the key but has no value.`;
    if (change.kind === 'update' && !sameJson(value, change.before[field.name]))
      return `"${field.name}" is part of the key, which cannot change after a record is written.`;
  }
  return undefined;
}

const maxStale = 100; // The maximum number of changed records to report; enough to show the cause.

/** Returns the current state of records that changed since they were read, with null for deleted records. */
export async function findStale(
  context: RecordsContext,
  changes: Changes,
): Promise<readonly (TableRow | null)[]> {
  const { columns, key, from, selection } = context;
  const stale: (TableRow | null)[] = [];
  const expected = changes.flatMap((change) => (change.kind === 'add' ? [] : [change.before]));
  const parts = runInParts(context, expected, (part) => {
    const keys = part.map((row) => keyOf(context, row));
    return sql`select ${selection} from ${from} where ${valuesIn(context, key, keys)}`;
  });
  for await (const { part, rows } of parts) {
    const there = new Map(
      rows.map((row) => readRow(context, row)).map((row) => [keyText(keyOf(context, row)), row]),
    );
    for (const before of part) {
      const now = there.get(keyText(keyOf(context, before)));
      const isSame = now && columns.every(({ field: { name } }) => sameJson(before[name], now[name]));
      if (isSame !== true) stale.push(now ?? null);
    }
    if (stale.length >= maxStale) break;
  }
  return stale.slice(0, maxStale);
}
