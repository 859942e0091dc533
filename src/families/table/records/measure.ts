import { sql } from 'kysely';
import type { Json } from '../../../core/index.ts';
import type { MeasureRequest } from '../request/request.ts';
import { whereOf } from './condition.ts';
import { buildMeasure } from './measure-piece.ts';
import { query, type RecordsGround } from './records-ground.ts';

/** One number, or the least or greatest value, over the records that fit. */
export async function measureRecords(
  ground: RecordsGround,
  { operation, field, where }: MeasureRequest,
): Promise<Json> {
  const { first, second = sql`null`, whole, read } = buildMeasure(ground, operation, field);
  const parts = sql`select ${first} as first, ${second} as second from ${ground.from}${whereOf(ground, where)}`;
  const [row] = await query(ground, sql`select ${whole} as result from (${parts}) parts`);
  return read(row?.['result'] ?? null);
}
