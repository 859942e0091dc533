import { sql } from 'kysely';
import type { Sort } from '../request/request.ts';
import type { Piece } from '../sql/dialect.ts';
import type { RecordsGround } from './records-ground.ts';

/** ` order by …`, with the key at the end; records without a value come last, whatever the direction. */
export function orderOf(ground: RecordsGround, sorts: readonly Sort[] = []): Piece {
  if (sorts.length > 0) return buildOrder(ground, sorts);
  const byKey = keyOrders.get(ground) ?? ground.dialect.fixed(buildOrder(ground, []));
  keyOrders.set(ground, byKey);
  return byKey;
}

const keyOrders = new WeakMap<RecordsGround, Piece>();

function buildOrder(ground: RecordsGround, sorts: readonly Sort[]): Piece {
  const parts: Piece[] = [];
  const seen = new Set<string>();
  const keys = ground.key.map(({ field }): Sort => ({ field: field.name, direction: 'up' }));
  for (const { field, direction } of [...sorts, ...keys]) {
    if (seen.has(field)) continue;
    seen.add(field);
    const column = ground.columnOf(field);
    const piece = direction === 'up' ? sql`${column.ordered} asc` : sql`${column.ordered} desc`;
    // A key always has a value; without the addition its index gives the order.
    parts.push(column.field.key === undefined ? sql`${piece} nulls last` : piece);
  }
  return sql` order by ${sql.join(parts)}`;
}
