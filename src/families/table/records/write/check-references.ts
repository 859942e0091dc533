import { sql } from 'kysely';
import type { RunSql } from '../../../../core/database.ts';
import type { Json } from '../../../../core/json.ts';
import { findReferenced } from '../../schema/find-referenced.ts';
import { tablePiece } from '../../schema/table-statements.ts';
import type { Field } from '../../table.ts';
import type { Change, Fault } from '../change.ts';
import type { Ground } from '../ground.ts';
import { keyText } from '../key.ts';
import { sameJson } from '../same-json.ts';
import { showJson } from '../show.ts';
import { valuesAmong } from './values-among.ts';

/** Values that lead to another record, which must be there when all is written. */
export async function checkReferences(
  run: RunSql,
  ground: Ground,
  changes: readonly Change[],
): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  for (const column of ground.columns) {
    const { name, references } = column.field;
    if (references === undefined) continue;
    const wanted = newValues(changes, name);
    if (wanted.size === 0) continue;
    const target = await findReferenced({ kind: ground.database.kind, run }, references);
    const there = target && { from: tablePiece(target), column: sql.id(target.column) };
    const found = there && (await valuesAmong(run, ground, there, column, valuesOf(wanted)));
    for (const { value, indexes } of wanted.values()) {
      if (found?.has(keyText([value])) === true) continue;
      const why = target === undefined ? missing(references) : `there is no ${showJson(value)} in it`;
      const message = `"${name}" refers to ${target?.title ?? references.table}, and ${why}.`;
      faults.push(...indexes.map((index) => ({ index, field: name, message })));
    }
  }
  return faults;
}

interface Wanted {
  readonly value: Json;
  readonly indexes: number[];
}

function valuesOf(wanted: ReadonlyMap<string, Wanted>): readonly Json[] {
  return Array.from(wanted.values(), ({ value }) => value);
}

/** The values that changes bring into a field, each with the changes that do. */
function newValues(changes: readonly Change[], field: string): ReadonlyMap<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  for (const [index, change] of changes.entries()) {
    if (change.kind === 'delete') continue;
    const value = change.after[field] ?? null;
    if (value === null || (change.kind === 'update' && sameJson(value, change.before[field]))) continue;
    const known = wanted.get(keyText([value]));
    if (known === undefined) wanted.set(keyText([value]), { value, indexes: [index] });
    else known.indexes.push(index);
  }
  return wanted;
}

function missing({ table, field }: NonNullable<Field['references']>): string {
  return field === undefined
    ? `there is no table "${table}" with a key of one column`
    : `there is no table "${table}" with a column "${field}"`;
}
