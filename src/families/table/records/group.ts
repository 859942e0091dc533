import { sql } from 'kysely';
import type { Json } from '../../../core/index.ts';
import type { GroupRequest } from '../request/request.ts';
import { whereOf } from './condition.ts';
import { buildMeasure } from './measure-piece.ts';
import { query, type RecordsGround } from './records-ground.ts';
import { windowOf } from './window.ts';

/**
 * A result for each value of a field. Texts that differ only by case are one value, shown in the least spelling by bytes;
 * equal results come in the order of their values. Records go together first by what the column keeps, which an index can
 * serve, and then by what that means: empty text is no value.
 */
export async function groupRecords(
  ground: RecordsGround,
  { by, measure, field, where, direction = 'down', limit }: GroupRequest,
): Promise<{
  readonly groups: readonly { readonly value: Json; readonly result: Json }[];
  readonly total: number;
}> {
  const column = ground.columnOf(by);
  const { first, second = sql`null`, whole, ordered, read } = buildMeasure(ground, measure, field);
  const value = column.isFolded ? sql`min(${ground.dialect.exact(column.plain)})` : column.plain;
  const parts = sql`select ${value} as value, ${first} as first, ${second} as second
    from ${ground.from}${whereOf(ground, where)} group by ${column.equal}`;

  const meant = column.order(sql`value`);
  const shown = column.isFolded ? sql`min(${ground.dialect.exact(sql`value`)})` : meant;
  const turn = direction === 'up' ? sql`asc` : sql`desc`;
  const orders = [...ordered.map((piece) => sql`${piece} ${turn} nulls last`), sql`${meant} asc nulls last`];
  const total = limit === undefined ? sql`` : sql`, count(*) over () as total`;
  const rows = await query(
    ground,
    sql`select ${shown} as shown, ${whole} as result${total} from (${parts}) parts
      group by ${meant} order by ${sql.join(orders)}${windowOf(ground, limit)}`,
  );
  return {
    groups: rows.map((row) => ({
      value: column.fromSql(row['shown'] ?? null),
      result: read(row['result'] ?? null),
    })),
    total: limit === undefined ? rows.length : Number(rows[0]?.['total'] ?? 0),
  };
}
