import { sql } from 'kysely';
import type { RunSql } from '../../../../core/index.ts';
import { chunksOf } from '../../sql.ts';
import type { TableRow } from '../../table.ts';
import type { Change } from '../change.ts';
import { keyIn, keyOf, keyText } from '../key.ts';
import { perform, readRow, type RecordsContext } from '../records-context.ts';
import { sameJson } from '../same-json.ts';
import { keysAtOnce } from './rows-at-once.ts';

const maxStale = 100; // The maximum number of changed records to report; enough to show the cause.

/** Returns the current state of records that changed since they were read, with null for deleted records. */
export async function findStale(
  run: RunSql,
  context: RecordsContext,
  changes: readonly Change[],
): Promise<readonly (TableRow | null)[]> {
  const stale: (TableRow | null)[] = [];
  const expected = changes.flatMap((change) => (change.kind === 'add' ? [] : [change.before]));
  for (const part of chunksOf(expected, keysAtOnce)) {
    const keys = part.map((row) => keyOf(context, row));
    const rows = await perform(
      run,
      context,
      sql`select ${context.selection} from ${context.from} where ${keyIn(context, keys)}`,
    );
    const there = new Map(
      rows.map((row) => readRow(context, row)).map((row) => [keyText(keyOf(context, row)), row]),
    );
    for (const [index, before] of part.entries()) {
      const now = there.get(keyText(keys[index] ?? []));
      if (now === undefined || !isSame(context, before, now)) stale.push(now ?? null);
    }
    if (stale.length >= maxStale) break;
  }
  return stale.slice(0, maxStale);
}

function isSame({ columns }: RecordsContext, before: TableRow, now: TableRow): boolean {
  return columns.every(({ field }) => sameJson(before[field.name], now[field.name]));
}
