import { sql } from 'kysely';
import type { Json } from '../../../core/index.ts';
import type { GroupRequest } from '../request/request.ts';
import { whereOf } from './condition.ts';
import { buildMeasure } from './measure-piece.ts';
import { query, type RecordsContext } from './records-context.ts';
import { windowOf } from './window.ts';

/**
 * Computes a result for each distinct value of a field. Values that differ only in case form one group,
 * labelled with the spelling that sorts first by bytes. Groups with equal results are ordered by value.
 * Records are first grouped by stored value, which can use an index, and then by meaning, which treats empty
 * text as missing.
 */
export async function groupRecords(
  context: RecordsContext,
  { by, measure, field, where, direction = 'down', limit }: GroupRequest,
): Promise<{
  readonly groups: readonly { readonly value: Json; readonly result: Json }[];
  readonly total: number;
}> {
  const column = context.columnOf(by);
  const { first, second = sql`null`, whole, ordered, read } = buildMeasure(context, measure, field);
  const value = column.isFolded ? sql`min(${context.dialect.exact(column.plain)})` : column.plain;
  const parts = sql`select ${value} as value, ${first} as first, ${second} as second
    from ${context.from}${whereOf(context, where)} group by ${column.equal}`;

  const meant = column.order(sql`value`);
  const shown = column.isFolded ? sql`min(${context.dialect.exact(sql`value`)})` : meant;
  const turn = direction === 'up' ? sql`asc` : sql`desc`;
  const orders = [...ordered.map((piece) => sql`${piece} ${turn} nulls last`), sql`${meant} asc nulls last`];
  const total = limit === undefined ? sql`` : sql`, count(*) over () as total`;
  const rows = await query(
    context,
    sql`select ${shown} as shown, ${whole} as result${total} from (${parts}) parts
      group by ${meant} order by ${sql.join(orders)}${windowOf(context, limit)}`,
  );
  return {
    groups: rows.map((row) => ({
      value: column.fromSql(row['shown'] ?? null),
      result: read(row['result'] ?? null),
    })),
    total: limit === undefined ? rows.length : Number(rows[0]?.['total'] ?? 0),
  };
}
