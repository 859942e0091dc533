import { sql } from 'kysely';
import type { RunSql } from '../../../../core/index.ts';
import { chunksOf } from '../../sql/chunks.ts';
import type { TableRow } from '../../table.ts';
import type { Change } from '../change.ts';
import { keyIn, keyOf, keyText } from '../key.ts';
import { perform, readRow, type RecordsGround } from '../records-ground.ts';
import { sameJson } from '../same-json.ts';
import { keysAtOnce } from './rows-at-once.ts';

const mostStale = 100; // enough to show what happened

/** The records that are not as they were seen, as they are now; null where one is gone. */
export async function findStale(
  run: RunSql,
  ground: RecordsGround,
  changes: readonly Change[],
): Promise<readonly (TableRow | null)[]> {
  const stale: (TableRow | null)[] = [];
  const seen = changes.flatMap((change) => (change.kind === 'add' ? [] : [change.before]));
  for (const part of chunksOf(seen, keysAtOnce)) {
    const keys = part.map((row) => keyOf(ground, row));
    const rows = await perform(
      run,
      ground,
      sql`select ${ground.selection} from ${ground.from} where ${keyIn(ground, keys)}`,
    );
    const there = new Map(
      rows.map((row) => readRow(ground, row)).map((row) => [keyText(keyOf(ground, row)), row]),
    );
    for (const [index, before] of part.entries()) {
      const now = there.get(keyText(keys[index] ?? []));
      if (now === undefined || !isSame(ground, before, now)) stale.push(now ?? null);
    }
    if (stale.length >= mostStale) break;
  }
  return stale.slice(0, mostStale);
}

function isSame({ columns }: RecordsGround, before: TableRow, now: TableRow): boolean {
  return columns.every(({ field }) => sameJson(before[field.name], now[field.name]));
}
