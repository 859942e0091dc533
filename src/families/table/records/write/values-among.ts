import { sql } from 'kysely';
import type { Json, RunSql } from '../../../../core/index.ts';
import { chunksOf, type Piece } from '../../sql.ts';
import type { RecordColumn } from '../column.ts';
import { keyText } from '../key.ts';
import { perform, type RecordsContext } from '../records-context.ts';
import { keysAtOnce } from './rows-at-once.ts';

/** The column to search, and the table that contains it. */
export interface ColumnTarget {
  readonly from: Piece;
  readonly column: Piece;
}

/** Returns the given values that occur in a column, in the text form used for keys. */
export async function valuesAmong(
  run: RunSql,
  context: RecordsContext,
  { from, column }: ColumnTarget,
  { toSql, fromSql }: RecordColumn,
  values: readonly Json[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const part of chunksOf(values, keysAtOnce)) {
    const rows = await perform(
      run,
      context,
      sql`select distinct ${column} as value from ${from} where ${column} in (${sql.join(part.map(toSql))})`,
    );
    for (const row of rows) found.add(keyText([fromSql(row['value'] ?? null)]));
  }
  return found;
}
