import { sql } from 'kysely';
import type { Json, RunSql } from '../../../../core/index.ts';
import { chunksOf } from '../../sql.ts';
import type { TableRow } from '../../table.ts';
import type { Change, ChangeFault } from '../change.ts';
import type { RecordColumn } from '../column.ts';
import { keyIn, keyOf, keyText, readKey, type Key } from '../key.ts';
import { perform, type RecordsContext } from '../records-context.ts';
import { sameJson } from '../same-json.ts';
import { showJson, showKey } from '../show.ts';
import { keysAtOnce } from './rows-at-once.ts';

/** Checks keys and unique values for duplicates, both among the changes and in stored records. */
export async function checkUnique(
  run: RunSql,
  context: RecordsContext,
  changes: readonly Change[],
): Promise<readonly ChangeFault[]> {
  const faults: ChangeFault[] = [...(await checkKeys(run, context, changes))];
  for (const column of context.columns.filter(
    ({ field }) => field.unique === true && !isWholeKey(context, field.name),
  ))
    faults.push(...(await checkField(run, context, column, changes)));
  return faults.sort((one, other) => one.index - other.index);
}

function isWholeKey({ key }: RecordsContext, field: string): boolean {
  return key.length === 1 && key[0]?.field.name === field;
}

async function checkKeys(
  run: RunSql,
  context: RecordsContext,
  changes: readonly Change[],
): Promise<readonly ChangeFault[]> {
  const added = new Map<string, { readonly key: Key; readonly index: number }>();
  const faults: ChangeFault[] = [];
  const deleted = new Set(
    changes.flatMap((change) => (change.kind === 'delete' ? [keyText(keyOf(context, change.before))] : [])),
  );
  const field = isOne(context.key) ? { field: context.key[0].field.name } : {};
  for (const [index, change] of changes.entries()) {
    if (change.kind !== 'add') continue;
    const key = keyOf(context, change.after);
    if (key.includes(null)) continue;
    const earlier = added.get(keyText(key));
    if (earlier === undefined) added.set(keyText(key), { key, index });
    else faults.push({ index, ...field, message: twice(context, key, earlier.index) });
  }
  for (const part of chunksOf([...added.values()], keysAtOnce)) {
    const names = sql.join(context.key.map(({ name, alias }) => sql`${name} as ${sql.id(alias)}`));
    const condition = keyIn(
      context,
      part.map(({ key }) => key),
    );
    for (const row of await perform(
      run,
      context,
      sql`select ${names} from ${context.from} where ${condition}`,
    )) {
      const key = readKey(context, row);
      const index = deleted.has(keyText(key)) ? undefined : added.get(keyText(key))?.index;
      if (index !== undefined)
        faults.push({
          index,
          ...field,
          message: `${context.table.name} already has the record ${showKey(context, key)}.`,
        });
    }
  }
  return faults;
}

function isOne(key: readonly RecordColumn[]): key is readonly [RecordColumn] {
  return key.length === 1;
}

function twice(context: RecordsContext, key: Key, earlier: number): string {
  return `Change ${earlier + 1} already uses the key ${showKey(context, key)}.`;
}

async function checkField(
  run: RunSql,
  context: RecordsContext,
  column: RecordColumn,
  changes: readonly Change[],
): Promise<readonly ChangeFault[]> {
  const { name } = column.field;
  const faults: ChangeFault[] = [];
  const newValues = new Map<string, { readonly value: Json; readonly index: number }>();
  for (const [index, change] of changes.entries()) {
    const value = newValue(change, name);
    if (value === null) continue;
    const earlier = newValues.get(keyText([value]));
    if (earlier === undefined) newValues.set(keyText([value]), { value, index });
    else
      faults.push({
        index,
        field: name,
        message: `"${name}" must be unique, but change ${earlier.index + 1} already uses ${showJson(value)}.`,
      });
  }
  if (newValues.size === 0) return faults;
  const left = leftBehind(context, changes, name);
  const names = sql.join([...context.key, column].map((one) => sql`${one.name} as ${sql.id(one.alias)}`));
  for (const part of chunksOf([...newValues.values()], keysAtOnce)) {
    const values = sql.join(part.map(({ value }) => column.toSql(value)));
    const rows = await perform(
      run,
      context,
      sql`select ${names} from ${context.from} where ${column.equal} in (${values})`,
    );
    for (const row of rows) {
      const key = readKey(context, row);
      const value = column.fromSql(row[column.alias] ?? null);
      const index = left.has(keyText(key)) ? undefined : newValues.get(keyText([value]))?.index;
      if (index === undefined) continue;
      faults.push({
        index,
        field: name,
        message: `"${name}" must be unique: the record ${showKey(context, key)} already has ${showJson(value)}.`,
      });
    }
  }
  return faults;
}

/** Returns the value that a change sets for a field, or null if it sets none. */
function newValue(change: Change, field: string): Json {
  if (change.kind === 'delete') return null;
  const value = change.after[field] ?? null;
  return change.kind === 'update' && sameJson(value, change.before[field]) ? null : value;
}

/** Returns the keys of records whose value for a field is deleted or replaced by the changes. */
function leftBehind(context: RecordsContext, changes: readonly Change[], field: string): ReadonlySet<string> {
  const rows = changes.flatMap((change): readonly TableRow[] => {
    if (change.kind === 'add') return [];
    return change.kind === 'delete' || !sameJson(change.after[field], change.before[field])
      ? [change.before]
      : [];
  });
  return new Set(rows.map((row) => keyText(keyOf(context, row))));
}
