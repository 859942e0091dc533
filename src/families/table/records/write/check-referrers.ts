import type { Json, RunSql } from '../../../../core/index.ts';
import type { Change, ChangeFault } from '../change.ts';
import type { RecordColumn } from '../column.ts';
import { keyOf, keyText } from '../key.ts';
import type { RecordsGround } from '../records-ground.ts';
import { sameJson } from '../same-json.ts';
import { showJson, showKey } from '../show.ts';
import { findReferrers } from './find-referrers.ts';
import { valuesAmong } from './values-among.ts';

/** Values that others lead to: one that goes must not be needed when all is written. Who cannot be asked, refuses. */
export async function checkReferrers(
  run: RunSql,
  ground: RecordsGround,
  changes: readonly Change[],
): Promise<readonly ChangeFault[]> {
  if (changes.every(({ kind }) => kind === 'add')) return [];
  const faults: ChangeFault[] = [];
  for (const referrer of await findReferrers(run, ground)) {
    if ('unknown' in referrer) {
      const lost = lostValues(changes, referrer.column);
      faults.push(...lost.map(({ index }) => ({ index, message: referrer.unknown })));
      continue;
    }
    const { column, target, title } = referrer;
    const lost = lostValues(changes, column);
    const values = lost.map(({ value }) => value);
    const needed = await valuesAmong(run, ground, target, column, values);
    if (needed.size === 0) continue;
    const own = { from: ground.from, column: column.name };
    const left = await valuesAmong(run, ground, own, column, values);
    for (const { change, index, value } of lost) {
      if (!needed.has(keyText([value])) || left.has(keyText([value]))) continue;
      const record = showKey(ground, keyOf(ground, change.before));
      const message =
        change.kind === 'delete'
          ? `The record ${record} is not deleted, since ${title} refers to it.`
          : `"${column.field.name}" of ${record} does not change from ${showJson(value)}, since ${title} refers to it.`;
      faults.push({ index, ...(change.kind === 'delete' ? {} : { field: column.field.name }), message });
    }
  }
  return faults;
}

interface Lost {
  readonly change: Exclude<Change, { readonly kind: 'add' }>;
  readonly index: number;
  readonly value: Json;
}

/** The values of a field that records give up; where the field is not known, whatever is deleted. */
function lostValues(changes: readonly Change[], column: RecordColumn | undefined): readonly Lost[] {
  return changes.flatMap((change, index): readonly Lost[] => {
    if (change.kind === 'add') return [];
    if (column === undefined) return change.kind === 'delete' ? [{ change, index, value: null }] : [];
    const { name } = column.field;
    const value = change.before[name] ?? null;
    const isKept = value === null || (change.kind === 'update' && sameJson(value, change.after[name]));
    return isKept ? [] : [{ change, index, value }];
  });
}
