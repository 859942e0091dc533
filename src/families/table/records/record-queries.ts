import { sql } from 'kysely';
import type { Condition, Sort } from '../request/request.ts';
import type { Piece } from '../sql/dialect.ts';
import type { Change } from './change.ts';
import { whereOf } from './condition.ts';
import { query, type RecordsGround } from './records-ground.ts';
import type { LastWrite } from './records.ts';
import { hasKeptTables, keptName } from './write/kept-tables.ts';

/** How many records fit. */
export async function countRecords(ground: RecordsGround, where?: Condition): Promise<number> {
  const [row] = await query(
    ground,
    sql`select count(*) as total from ${ground.from}${whereOf(ground, where)}`,
  );
  return Number(row?.['total']);
}

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

/** The last write of a session to a table that was not taken back, with what would take it back. */
export async function readLastWrite(ground: RecordsGround, session: string): Promise<LastWrite | undefined> {
  const { database } = ground;
  if (!(await hasKeptTables((statement) => database.read(statement), ground))) return undefined;
  const [row] = await query(
    ground,
    sql`select number, step_id, changes from skilled_writes
      where table_name = ${keptName(ground)} and session = ${session} and kind = 'write' and undone_by is null
      order by number desc limit 1`,
  );
  if (row === undefined) return undefined;
  const stepId = String(row['step_id']);
  const parts = await query(
    ground,
    sql`select changes from skilled_undo where write_number = ${Number(row['number'])} order by part`,
  );
  const changes = parts.flatMap((part) => JSON.parse(String(part['changes'])) as readonly Change[]);
  const count = Number(row['changes']);
  return changes.length === count ? { stepId, changes } : { stepId, changes: [], notKept: count };
}
