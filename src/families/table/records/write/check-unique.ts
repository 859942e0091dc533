import { sql } from 'kysely';
import type { Json, RunSql } from '../../../../core/index.ts';
import { chunksOf } from '../../sql/chunks.ts';
import type { TableRow } from '../../table.ts';
import type { Change, ChangeFault } from '../change.ts';
import type { RecordColumn } from '../column.ts';
import { keyIn, keyOf, keyText, readKey, type Key } from '../key.ts';
import { perform, type RecordsGround } from '../records-ground.ts';
import { sameJson } from '../same-json.ts';
import { showJson, showKey } from '../show.ts';
import { keysAtOnce } from './rows-at-once.ts';

/** Keys and values that only one record may have, held against each other and against what is there. */
export async function checkUnique(
  run: RunSql,
  ground: RecordsGround,
  changes: readonly Change[],
): Promise<readonly ChangeFault[]> {
  const faults: ChangeFault[] = [...(await checkKeys(run, ground, changes))];
  for (const column of ground.columns.filter(
    ({ field }) => field.unique === true && !isWholeKey(ground, field.name),
  ))
    faults.push(...(await checkField(run, ground, column, changes)));
  return faults.sort((one, other) => one.index - other.index);
}

function isWholeKey({ key }: RecordsGround, field: string): boolean {
  return key.length === 1 && key[0]?.field.name === field;
}

async function checkKeys(
  run: RunSql,
  ground: RecordsGround,
  changes: readonly Change[],
): Promise<readonly ChangeFault[]> {
  const added = new Map<string, { readonly key: Key; readonly index: number }>();
  const faults: ChangeFault[] = [];
  const deleted = new Set(
    changes.flatMap((change) => (change.kind === 'delete' ? [keyText(keyOf(ground, change.before))] : [])),
  );
  const field = isOne(ground.key) ? { field: ground.key[0].field.name } : {};
  for (const [index, change] of changes.entries()) {
    if (change.kind !== 'add') continue;
    const key = keyOf(ground, change.after);
    if (key.includes(null)) continue;
    const earlier = added.get(keyText(key));
    if (earlier === undefined) added.set(keyText(key), { key, index });
    else faults.push({ index, ...field, message: twice(ground, key, earlier.index) });
  }
  for (const part of chunksOf([...added.values()], keysAtOnce)) {
    const names = sql.join(ground.key.map(({ name, alias }) => sql`${name} as ${sql.id(alias)}`));
    const wanted = keyIn(
      ground,
      part.map(({ key }) => key),
    );
    for (const row of await perform(run, ground, sql`select ${names} from ${ground.from} where ${wanted}`)) {
      const key = readKey(ground, row);
      const index = deleted.has(keyText(key)) ? undefined : added.get(keyText(key))?.index;
      if (index !== undefined)
        faults.push({
          index,
          ...field,
          message: `${ground.table.name} already has the record ${showKey(ground, key)}.`,
        });
    }
  }
  return faults;
}

function isOne(key: readonly RecordColumn[]): key is readonly [RecordColumn] {
  return key.length === 1;
}

function twice(ground: RecordsGround, key: Key, earlier: number): string {
  return `The key ${showKey(ground, key)} is given twice, first by change ${earlier + 1}.`;
}

async function checkField(
  run: RunSql,
  ground: RecordsGround,
  column: RecordColumn,
  changes: readonly Change[],
): Promise<readonly ChangeFault[]> {
  const { name } = column.field;
  const faults: ChangeFault[] = [];
  const wanted = new Map<string, { readonly value: Json; readonly index: number }>();
  for (const [index, change] of changes.entries()) {
    const value = newValue(change, name);
    if (value === null) continue;
    const earlier = wanted.get(keyText([value]));
    if (earlier === undefined) wanted.set(keyText([value]), { value, index });
    else
      faults.push({
        index,
        field: name,
        message: `"${name}" must differ in every record, and ${showJson(value)} is given twice, first by change ${earlier.index + 1}.`,
      });
  }
  if (wanted.size === 0) return faults;
  const left = leftBehind(ground, changes, name);
  const names = sql.join([...ground.key, column].map((one) => sql`${one.name} as ${sql.id(one.alias)}`));
  for (const part of chunksOf([...wanted.values()], keysAtOnce)) {
    const values = sql.join(part.map(({ value }) => column.toSql(value)));
    const rows = await perform(
      run,
      ground,
      sql`select ${names} from ${ground.from} where ${column.equal} in (${values})`,
    );
    for (const row of rows) {
      const key = readKey(ground, row);
      const value = column.fromSql(row[column.alias] ?? null);
      const index = left.has(keyText(key)) ? undefined : wanted.get(keyText([value]))?.index;
      if (index === undefined) continue;
      faults.push({
        index,
        field: name,
        message: `"${name}" must differ in every record, and ${showJson(value)} stands in ${showKey(ground, key)} already.`,
      });
    }
  }
  return faults;
}

/** The value that a change brings in; null when it brings none. */
function newValue(change: Change, field: string): Json {
  if (change.kind === 'delete') return null;
  const value = change.after[field] ?? null;
  return change.kind === 'update' && sameJson(value, change.before[field]) ? null : value;
}

/** The records that give up their value of a field, by key. */
function leftBehind(ground: RecordsGround, changes: readonly Change[], field: string): ReadonlySet<string> {
  const rows = changes.flatMap((change): readonly TableRow[] => {
    if (change.kind === 'add') return [];
    return change.kind === 'delete' || !sameJson(change.after[field], change.before[field])
      ? [change.before]
      : [];
  });
  return new Set(rows.map((row) => keyText(keyOf(ground, row))));
}
