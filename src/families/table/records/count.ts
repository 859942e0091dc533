import { sql } from 'kysely';
import type { Condition } from '../request/request.ts';
import { whereOf } from './condition.ts';
import { query, type RecordsGround } from './records-ground.ts';

/** How many records fit. */
export async function countRecords(ground: RecordsGround, where?: Condition): Promise<number> {
  const [row] = await query(
    ground,
    sql`select count(*) as total from ${ground.from}${whereOf(ground, where)}`,
  );
  return Number(row?.['total']);
}
