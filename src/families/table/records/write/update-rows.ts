import { sql } from 'kysely';
import type { RunSql } from '../../../../core/database.ts';
import { canonicalJson } from '../../../../core/canonical.ts';
import type { JsonObject } from '../../../../core/json.ts';
import type { TableRow } from '../../table.ts';
import type { Change } from '../change.ts';
import { chunksOf } from '../chunks.ts';
import { perform, readRow, type Ground } from '../ground.ts';
import { keyIn, keyOf, keyText } from '../key.ts';
import { sameJson } from '../same-json.ts';
import { keysAtOnce } from './find-stale.ts';

type Update = Extract<Change, { readonly kind: 'update' }>;

/** Gives records their new values, and the records as they are then; those that get the same values go together. */
export async function updateRows(
  run: RunSql,
  ground: Ground,
  updates: readonly Update[],
): Promise<readonly TableRow[]> {
  const now = new Map<string, TableRow>();
  const groups = Map.groupBy(updates, (update) => canonicalJson(changedValues(ground, update)));
  for (const [first, ...others] of groups.values()) {
    if (first === undefined) continue;
    const set = Object.entries(changedValues(ground, first));
    if (set.length === 0) continue;
    const columns = set.map(([field, value]) => ({ column: ground.columnOf(field), value }));
    const assigned = sql.join(
      columns.map(({ column, value }) => sql`${column.name} = ${column.toSql(value)}`),
    );
    for (const part of chunksOf([first, ...others], keysAtOnce)) {
      const keys = part.map(({ before }) => keyOf(ground, before));
      const rows = await perform(
        run,
        ground,
        sql`update ${ground.from} set ${assigned} where ${keyIn(ground, keys)} returning ${ground.selection}`,
      );
      for (const row of rows.map((raw) => readRow(ground, raw))) now.set(keyText(keyOf(ground, row)), row);
    }
  }
  return updates.map(({ before }) => now.get(keyText(keyOf(ground, before))) ?? before);
}

/** What becomes different; what the database works out itself is left to it. */
function changedValues({ columns }: Ground, { before, after }: Update): JsonObject {
  const changed = columns.filter(
    ({ field, storage }) =>
      storage.isGenerated !== true &&
      Object.hasOwn(after, field.name) &&
      !sameJson(before[field.name], after[field.name]),
  );
  return Object.fromEntries(changed.map(({ field }) => [field.name, after[field.name] ?? null]));
}
