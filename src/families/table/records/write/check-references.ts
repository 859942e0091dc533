import { sql } from 'kysely';
import { optional, type Json, type RunSql } from '../../../../core/index.ts';
import { foldText } from '../../request/compare-values.ts';
import { findReferenced } from '../../schema/inspect/find-referenced.ts';
import { readLinks } from '../../schema/inspect/read-links.ts';
import { tablePiece } from '../../sql.ts';
import type { Field } from '../../table.ts';
import type { Change, ChangeFault } from '../change.ts';
import { keyText } from '../key.ts';
import type { RecordsContext } from '../records-context.ts';
import { sameJson } from '../same-json.ts';
import { showJson } from '../show.ts';
import { valuesAmong } from './values-among.ts';

/** Checks that every reference in the changed records has a target after the write. */
export async function checkReferences(
  run: RunSql,
  context: RecordsContext,
  changes: readonly Change[],
): Promise<readonly ChangeFault[]> {
  const faults: ChangeFault[] = [];
  const links = await ownLinks(run, context);
  for (const column of context.columns) {
    const { name } = column.field;
    const references = column.field.references ?? links.get(foldText(context.physical.columnOf(name)));
    if (references === undefined) continue;
    const referenced = newValues(changes, name);
    if (referenced.size === 0) continue;
    const target = await findReferenced({ kind: context.database.kind, run }, references);
    const there = target && { from: tablePiece(target), column: sql.id(target.column) };
    const found = there && (await valuesAmong(run, context, there, column, valuesOf(referenced)));
    for (const { value, indexes } of referenced.values()) {
      if (found?.has(keyText([value])) === true) continue;
      const why = target === undefined ? missing(references) : `there is no ${showJson(value)} in it`;
      const message = `"${name}" refers to ${target?.title ?? references.table}, and ${why}.`;
      faults.push(...indexes.map((index) => ({ index, field: name, message })));
    }
  }
  return faults;
}

/** Returns a table's foreign keys in SQLite, keyed by column. SQLite does not enforce them by default. */
async function ownLinks(
  run: RunSql,
  { database: { kind }, physical: { table } }: RecordsContext,
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

interface ReferencedValue {
  readonly value: Json;
  readonly indexes: number[];
}

function valuesOf(referenced: ReadonlyMap<string, ReferencedValue>): readonly Json[] {
  return Array.from(referenced.values(), ({ value }) => value);
}

/** Returns the new values of a field, each with the indexes of the changes that contain it. */
function newValues(changes: readonly Change[], field: string): ReadonlyMap<string, ReferencedValue> {
  const referenced = new Map<string, ReferencedValue>();
  for (const [index, change] of changes.entries()) {
    if (change.kind === 'delete') continue;
    const value = change.after[field] ?? null;
    if (value === null || (change.kind === 'update' && sameJson(value, change.before[field]))) continue;
    const known = referenced.get(keyText([value]));
    if (known === undefined) referenced.set(keyText([value]), { value, indexes: [index] });
    else known.indexes.push(index);
  }
  return referenced;
}

function missing({ table, field }: NonNullable<Field['references']>): string {
  return field === undefined
    ? `there is no table "${table}" with a key of one column`
    : `there is no table "${table}" with a column "${field}"`;
}
