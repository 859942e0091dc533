import { sql } from 'kysely';
import { chunksOf } from '../sql/chunks.ts';
import type { TableRow } from '../table.ts';
import { whereOf } from './condition.ts';
import { keyIn, keyText, readKey } from './key.ts';
import { orderOf } from './order.ts';
import { query, readRow, type RecordsGround } from './records-ground.ts';
import type { Window } from './records.ts';
import { windowOf } from './window.ts';

const mostAtOnce = 5_000; // values of keys in one statement

/**
 * The keys are read at once, so which records there are and their order is that of one moment; the records follow part by
 * part, each as it is then, and one that has gone or does not fit any more is left out.
 */
export async function* eachRecord(
  ground: RecordsGround,
  { where, sort, limit, offset }: Window,
  size: number,
): AsyncGenerator<readonly TableRow[]> {
  const keys = sql.join(ground.key.map(({ name, alias }) => sql`${name} as ${sql.id(alias)}`));
  const page = sql`${orderOf(ground, sort)}${windowOf(ground, limit, offset)}`;
  const found = await query(ground, sql`select ${keys} from ${ground.from}${whereOf(ground, where)}${page}`);
  const most = Math.floor(mostAtOnce / Math.max(1, ground.key.length));
  for (const part of chunksOf(found, Math.max(1, Math.min(size, most)))) {
    const wanted = part.map((row) => readKey(ground, row));
    const rows = await query(
      ground,
      sql`select ${ground.selection} from ${ground.from}${whereOf(ground, where, keyIn(ground, wanted))}`,
    );
    const byKey = new Map(rows.map((row) => [keyText(readKey(ground, row)), row]));
    const there = wanted.map((key) => byKey.get(keyText(key))).filter((row) => row !== undefined);
    if (there.length > 0) yield there.map((row) => readRow(ground, row));
  }
}
