import { sql } from 'kysely';
import type { Condition, Sort } from '../request/request.ts';
import type { Piece } from '../sql.ts';
import type { Change } from './change.ts';
import { whereOf } from './condition.ts';
import { query, type RecordsContext } from './records-context.ts';
import type { LastWrite } from './records.ts';
import { hasHistoryTables, historyName } from './write/history-tables.ts';

/** Counts the matching records. */
export async function countRecords(context: RecordsContext, where?: Condition): Promise<number> {
  const [row] = await query(
    context,
    sql`select count(*) as total from ${context.from}${whereOf(context, where)}`,
  );
  return Number(row?.['total']);
}

/**
 * Builds an ` order by …` clause that ends with the key. Records without a value come last in both
 * directions.
 */
export function orderOf(context: RecordsContext, sorts: readonly Sort[] = []): Piece {
  if (sorts.length > 0) return buildOrder(context, sorts);
  const byKey = keyOrders.get(context) ?? context.dialect.fixed(buildOrder(context, []));
  keyOrders.set(context, byKey);
  return byKey;
}

const keyOrders = new WeakMap<RecordsContext, Piece>();

function buildOrder(context: RecordsContext, sorts: readonly Sort[]): Piece {
  const parts: Piece[] = [];
  const seen = new Set<string>();
  const keys = context.key.map(({ field }): Sort => ({ field: field.name, direction: 'up' }));
  for (const { field, direction } of [...sorts, ...keys]) {
    if (seen.has(field)) continue;
    seen.add(field);
    const column = context.columnOf(field);
    const piece = direction === 'up' ? sql`${column.ordered} asc` : sql`${column.ordered} desc`;
    // Keys are never null. Without `nulls last`, the database can use the index on the key for sorting.
    parts.push(column.field.key === undefined ? sql`${piece} nulls last` : piece);
  }
  return sql` order by ${sql.join(parts)}`;
}

/**
 * Returns a session's last write to a table that has not been undone, with the changes that would undo it.
 */
export async function readLastWrite(
  context: RecordsContext,
  session: string,
): Promise<LastWrite | undefined> {
  const { database } = context;
  if (!(await hasHistoryTables((statement) => database.read(statement), context))) return undefined;
  const [row] = await query(
    context,
    sql`select number, step_id, changes from skilled_writes
      where table_name = ${historyName(context)} and session = ${session} and kind = 'write' and undone_by is null
      order by number desc limit 1`,
  );
  if (row === undefined) return undefined;
  const stepId = String(row['step_id']);
  const parts = await query(
    context,
    sql`select changes from skilled_undo where write_number = ${Number(row['number'])} order by part`,
  );
  const changes = parts.flatMap((part) => JSON.parse(String(part['changes'])) as readonly Change[]);
  const count = Number(row['changes']);
  return changes.length === count ? { stepId, changes } : { stepId, changes: [], unrecoverableCount: count };
}
