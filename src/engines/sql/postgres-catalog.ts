import { sql } from 'kysely';
import { optional, type SqlRow } from '../../core/index.ts';
import type { DatabaseCatalog, ExistingColumn } from './existing-table.ts';
import { runPiece } from './pieces.ts';

/** Reads the tables of a PostgreSQL database. A name without a schema is one of the current schema. */
export const postgresCatalog: DatabaseCatalog = {
  tables: sql`
    select n.nspname::text as schema, c.relname::text as name
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname = any (current_schemas(false))
    order by array_position(current_schemas(false), n.nspname), c.relname`,

  exists: (table) => sql`select 1 as found where to_regclass(${table}) is not null`,

  async inspect(executor, { schema, table }) {
    const [found] = await runPiece(
      executor,
      sql`select c.oid::text as id, n.nspname::text as schema, c.relkind::text as relkind
        from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where c.relname = ${table} and n.nspname = coalesce(${schema ?? null}::text, current_schema()::text)
          and c.relkind in ('r', 'p', 'v', 'm', 'f')`,
    );
    if (found === undefined) return undefined;
    const id = String(found['id']);
    const columns = await runPiece(
      executor,
      sql`select a.attname::text as name,
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
        order by a.attnum`,
    );
    const indexRows = await runPiece(
      executor,
      sql`select i.relname::text as name, x.indisunique as is_unique, x.indisprimary as is_primary,
          (x.indpred is null and x.indexprs is null and x.indisvalid) as is_whole,
          (select json_agg(a.attname order by part.place)::text
            from unnest(x.indkey::int2[]) with ordinality part (number, place)
            join pg_catalog.pg_attribute a on a.attrelid = x.indrelid and a.attnum = part.number
            where part.place <= x.indnkeyatts) as columns
        from pg_catalog.pg_index x join pg_catalog.pg_class i on i.oid = x.indexrelid
        where x.indrelid = ${id}::oid
        order by x.indisprimary desc, i.relname`,
    );
    const indexes = indexRows.map((row) => ({
      name: String(row['name']),
      columns: JSON.parse(String(row['columns'] ?? '[]')) as readonly string[],
      isUnique: row['is_unique'] === true,
      isPrimary: row['is_primary'] === true,
      isWhole: row['is_whole'] === true,
    }));
    const primary = indexes.find(({ isPrimary }) => isPrimary);
    return {
      schema: String(found['schema']),
      table,
      isView: !['r', 'p'].includes(String(found['relkind'])),
      columns: columns.map(columnOf),
      key: primary?.columns ?? [],
      ...optional('keyName', primary?.name),
      indexes: indexes.filter(({ isWhole }) => isWhole),
      indexNames: indexes.map((index) => index.name),
    };
  },

  links: ({ schema = '', table }) => sql`
    with links as (
      select k.conrelid, k.confrelid, a.attname::text as source, b.attname::text as target,
        k.confdeltype not in ('a', 'r') as acts
      from pg_catalog.pg_constraint k
      join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
      join pg_catalog.pg_attribute b on b.attrelid = k.confrelid and b.attnum = k.confkey[1]
      where k.contype = 'f' and cardinality(k.conkey) = 1),
    names as (
      select c.oid, n.nspname::text as schema, c.relname::text as name,
        case when n.nspname = any (current_schemas(false)) then c.relname::text else n.nspname || '.' || c.relname end as spelt
      from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace),
    self as (select oid from names where schema = ${schema} and name = ${table})
    select 'out' as direction, l.source as own, o.spelt as other, l.target as target, false as acts
    from links l join self on self.oid = l.conrelid join names o on o.oid = l.confrelid
    union all
    select 'in', l.target, o.spelt, l.source, l.acts
    from links l join self on self.oid = l.confrelid join names o on o.oid = l.conrelid
    order by 1 desc, 2, 3`,

  comment: ({ schema = '', table }) => sql`
    select obj_description(c.oid, 'pg_class') as text
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relname = ${table} and n.nspname = ${schema}`,

  checks: ({ schema = '', table }) => sql`
    select pg_get_constraintdef(k.oid) as text from pg_catalog.pg_constraint k
    join pg_catalog.pg_class c on c.oid = k.conrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where k.contype = 'c' and k.convalidated and c.relname = ${table} and n.nspname = ${schema}`,
};

function columnOf(row: SqlRow): ExistingColumn {
  const text = (name: string): string | undefined => (typeof row[name] === 'string' ? row[name] : undefined);
  const expression = text('expression');
  const labels = text('labels');
  const isGenerated = row['generated'] !== '';
  return {
    name: String(row['name']),
    type: String(row['type']),
    isRequired: row['is_required'] === true,
    ...optional('default', isGenerated ? undefined : expression),
    isNumbered: row['identity'] !== '' || /^nextval\(/i.test(expression ?? ''),
    isGenerated,
    ...optional('comment', text('comment')),
    ...optional('values', labels === undefined ? undefined : (JSON.parse(labels) as readonly string[])),
  };
}
