import type { Json, RunSql } from '../../../../core/index.ts';
import type { Change, ChangeFault } from '../change.ts';
import type { RecordColumn } from '../column.ts';
import { keyOf, keyText } from '../key.ts';
import type { RecordsContext } from '../records-context.ts';
import { sameJson } from '../same-json.ts';
import { showJson, showKey } from '../show.ts';
import { findReferrers } from './find-referrers.ts';
import { valuesAmong } from './values-among.ts';

/**
 * Checks that values referenced by other records still exist after the write. Rejects the change if the
 * references cannot be looked up.
 */
export async function checkReferrers(
  run: RunSql,
  context: RecordsContext,
  changes: readonly Change[],
): Promise<readonly ChangeFault[]> {
  if (changes.every(({ kind }) => kind === 'add')) return [];
  const faults: ChangeFault[] = [];
  for (const referrer of await findReferrers(run, context)) {
    if ('unknown' in referrer) {
      const lost = lostValues(changes, referrer.column);
      faults.push(...lost.map(({ index }) => ({ index, message: referrer.unknown })));
      continue;
    }
    const { column, target, title } = referrer;
    const lost = lostValues(changes, column);
    const values = lost.map(({ value }) => value);
    const needed = await valuesAmong(run, context, target, column, values);
    if (needed.size === 0) continue;
    const own = { from: context.from, column: column.name };
    const left = await valuesAmong(run, context, own, column, values);
    for (const { change, index, value } of lost) {
      if (!needed.has(keyText([value])) || left.has(keyText([value]))) continue;
      const record = showKey(context, keyOf(context, change.before));
      const message =
        change.kind === 'delete'
          ? `The record ${record} cannot be deleted because ${title} refers to it.`
          : `"${column.field.name}" of ${record} cannot change from ${showJson(value)} because ${title} refers to it.`;
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

/**
 * Returns the field values that changes remove. If the field is unknown, returns an entry without a value for
 * each deletion.
 */
function lostValues(changes: readonly Change[], column: RecordColumn | undefined): readonly Lost[] {
  return changes.flatMap((change, index): readonly Lost[] => {
    if (change.kind === 'add') return [];
    if (column === undefined) return change.kind === 'delete' ? [{ change, index, value: null }] : [];
    const { name } = column.field;
    const value = change.before[name] ?? null;
    const isUnchanged = value === null || (change.kind === 'update' && sameJson(value, change.after[name]));
    return isUnchanged ? [] : [{ change, index, value }];
  });
}
