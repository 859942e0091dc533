import { sql } from 'kysely';
import { optional, type Json, type RunSql } from '../../../../core/index.ts';
import { foldText } from '../../request/compare-values.ts';
import { findReferenced } from '../../schema/inspect/find-referenced.ts';
import { readLinks } from '../../schema/inspect/read-links.ts';
import { tablePiece } from '../../sql/table-piece.ts';
import type { Field } from '../../table.ts';
import type { Change, ChangeFault } from '../change.ts';
import { keyText } from '../key.ts';
import type { RecordsGround } from '../records-ground.ts';
import { sameJson } from '../same-json.ts';
import { showJson } from '../show.ts';
import { valuesAmong } from './values-among.ts';

/** Values that lead to another record, which must be there when all is written. */
export async function checkReferences(
  run: RunSql,
  ground: RecordsGround,
  changes: readonly Change[],
): Promise<readonly ChangeFault[]> {
  const faults: ChangeFault[] = [];
  const links = await ownLinks(run, ground);
  for (const column of ground.columns) {
    const { name } = column.field;
    const references = column.field.references ?? links.get(foldText(ground.physical.columnOf(name)));
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

/** The foreign keys that SQLite knows of a table, by column: it holds nobody to them by itself. */
async function ownLinks(
  run: RunSql,
  { database: { kind }, physical: { table } }: RecordsGround,
): Promise<ReadonlyMap<string, NonNullable<Field['references']>>> {
  if (kind !== 'sqlite') return new Map();
  const links = await readLinks({ kind, run }, { table });
  return new Map(
    links.flatMap(({ direction, column, otherTable, otherColumn }) => {
      if (direction === 'in' || column === undefined) return [];
      return [[foldText(column), { table: otherTable, ...optional('field', otherColumn) }]];
    }),
  );
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
