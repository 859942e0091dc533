import { sql } from 'kysely';
import { optional, type SqlRow } from '../../../../core/index.ts';
import { runPiece } from '../../sql.ts';
import type { ExistingColumn, ExistingTable, SqlExecutor, TableName } from './existing-table.ts';

/**
 * Reads a PostgreSQL table or view, by default from the current schema. Returns undefined if it does not
 * exist.
 */
export async function inspectPostgresTable(
  executor: SqlExecutor,
  name: TableName,
): Promise<ExistingTable | undefined> {
  const [found] = await runPiece(executor, tableQuery(name));
  if (found === undefined) return undefined;
  const id = String(found['id']);
  const columns = await runPiece(executor, columnQuery(id));
  const indexes = (await runPiece(executor, indexQuery(id))).map((row) => ({
    name: String(row['name']),
    columns: JSON.parse(String(row['columns'] ?? '[]')) as readonly string[],
    isUnique: row['is_unique'] === true,
    isPrimary: row['is_primary'] === true,
    isWhole: row['is_whole'] === true,
  }));
  const primary = indexes.find(({ isPrimary }) => isPrimary);
  return {
    schema: String(found['schema']),
    table: name.table,
    isView: !['r', 'p'].includes(String(found['relkind'])),
    columns: columns.map(columnOf),
    key: primary?.columns ?? [],
    ...optional('keyName', primary?.name),
    indexes: indexes.filter(({ isWhole }) => isWhole),
    indexNames: indexes.map((index) => index.name),
  };
}

const tableQuery = ({ schema, table }: TableName): ReturnType<typeof sql> => sql`
  select c.oid::text as id, n.nspname::text as schema, c.relkind::text as relkind
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relname = ${table} and n.nspname = coalesce(${schema ?? null}::text, current_schema()::text)
    and c.relkind in ('r', 'p', 'v', 'm', 'f')`;

const columnQuery = (id: string): ReturnType<typeof sql> => sql`
  select a.attname::text as name,
    case when t.typtype = 'd' then format_type(t.typbasetype, t.typtypmod)
      else format_type(a.atttypid, a.atttypmod) end as type,
    a.attnotnull as is_required,
    pg_get_expr(d.adbin, d.adrelid) as expression,
    a.attidentity::text as identity,
    a.attgenerated::text as generated,
    col_description(a.attrelid, a.attnum) as comment,
    (select json_agg(e.enumlabel order by e.enumsortorder)::text from pg_catalog.pg_enum e
      where e.enumtypid = a.atttypid) as labels
  from pg_catalog.pg_attribute a
  join pg_catalog.pg_type t on t.oid = a.atttypid
  left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = ${id}::oid and a.attnum > 0 and not a.attisdropped
  order by a.attnum`;

const indexQuery = (id: string): ReturnType<typeof sql> => sql`
  select i.relname::text as name, x.indisunique as is_unique, x.indisprimary as is_primary,
    (x.indpred is null and x.indexprs is null and x.indisvalid) as is_whole,
    (select json_agg(a.attname order by part.place)::text
      from unnest(x.indkey::int2[]) with ordinality part (number, place)
      join pg_catalog.pg_attribute a on a.attrelid = x.indrelid and a.attnum = part.number
      where part.place <= x.indnkeyatts) as columns
  from pg_catalog.pg_index x join pg_catalog.pg_class i on i.oid = x.indexrelid
  where x.indrelid = ${id}::oid
  order by x.indisprimary desc, i.relname`;

function columnOf(row: SqlRow): ExistingColumn {
  const expression = typeof row['expression'] === 'string' ? row['expression'] : undefined;
  const isGenerated = row['generated'] !== '';
  return {
    name: String(row['name']),
    type: String(row['type']),
    isRequired: row['is_required'] === true,
    ...optional('default', isGenerated ? undefined : expression),
    isNumbered: row['identity'] !== '' || /^nextval\(/i.test(expression ?? ''),
    isGenerated,
    ...optional('comment', typeof row['comment'] === 'string' ? row['comment'] : undefined),
    ...optional(
      'values',
      typeof row['labels'] === 'string' ? (JSON.parse(row['labels']) as readonly string[]) : undefined,
    ),
  };
}
