import { sql } from 'kysely';
import type { Json } from '../../../core/json.ts';
import type { GroupRequest } from '../request/request.ts';
import type { Column } from './column.ts';
import { whereOf } from './condition.ts';
import type { Piece } from './dialect.ts';
import { query, type Ground } from './ground.ts';
import { buildMeasure } from './measure-piece.ts';
import { windowOf } from './window.ts';

/**
 * A result for each value of a field. Texts that differ only by case are one value, shown in the least spelling by bytes;
 * equal results come in the order of their values.
 */
export async function groupRecords(
  ground: Ground,
  { by, measure, field, where, direction = 'down', limit }: GroupRequest,
): Promise<{
  readonly groups: readonly { readonly value: Json; readonly result: Json }[];
  readonly total: number;
}> {
  const column = ground.columnOf(by);
  const result = buildMeasure(ground, measure, field);
  const grouped = column.ordered;
  const turn = direction === 'up' ? sql`asc` : sql`desc`;
  const orders = [
    ...result.ordered.map((piece) => sql`${piece} ${turn} nulls last`),
    sql`${grouped} asc nulls last`,
  ];
  const columns = sql`${shownValue(ground, column)} as "skilled:value", ${result.piece} as "skilled:result", count(*) over () as "skilled:total"`;
  const rows = await query(
    ground,
    sql`select ${columns} from ${ground.from}${whereOf(ground, where)} group by ${grouped} order by ${sql.join(orders)}${windowOf(ground, limit)}`,
  );
  return {
    groups: rows.map((row) => ({
      value: column.fromSql(row['skilled:value'] ?? null),
      result: result.read(row['skilled:result'] ?? null),
    })),
    total: Number(rows[0]?.['skilled:total'] ?? 0),
  };
}

function shownValue(
  { dialect: { exact, asText, kind } }: Ground,
  { name, storage, isFolded, ordered }: Column,
): Piece {
  if (!isFolded) return ordered;
  return sql`min(${exact(kind === 'sqlite' || storage.form === 'text' ? name : asText(name))})`;
}
