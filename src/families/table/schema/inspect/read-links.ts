import { sql } from 'kysely';
import type { SqlRow } from '../../../../core/index.ts';
import { runPiece } from '../../sql.ts';
import type { SqlExecutor, TableName } from './existing-table.ts';

/** A single-column foreign key from or to the inspected table. */
export interface Link {
  readonly direction: 'out' | 'in';
  /** The column in the inspected table. Absent if it is that table's key. */
  readonly column?: string;
  readonly otherTable: string;
  /** The column in the other table. Absent if it is that table's key. */
  readonly otherColumn?: string;
  /** Set if the database deletes or changes referring rows when the referenced row is deleted. */
  readonly acts?: true;
}

/** Reads single-column foreign keys from and to a table. Multi-column keys are not included. */
export async function readLinks(executor: SqlExecutor, table: TableName): Promise<readonly Link[]> {
  const rows = await runPiece(executor, executor.kind === 'sqlite' ? inSqlite(table) : inPostgres(table));
  return rows.map(linkOf);
}

const inSqlite = ({ table }: TableName): ReturnType<typeof sql> => sql`
  select 'out' as direction, f."from" as own, f."table" as other, f."to" as target, 0 as acts
  from pragma_foreign_key_list(${table}) f
  where (select count(*) from pragma_foreign_key_list(${table}) s where s.id = f.id) = 1
  union all
  select 'in', f."to", m.name, f."from", 0
  from sqlite_master m, pragma_foreign_key_list(m.name) f
  where m.type = 'table' and f."table" = ${table} collate nocase
    and (select count(*) from pragma_foreign_key_list(m.name) s where s.id = f.id) = 1
  order by 1 desc, 2, 3`;

const inPostgres = ({ schema = '', table }: TableName): ReturnType<typeof sql> => sql`
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
  order by 1 desc, 2, 3`;

function linkOf({ direction, own, other, target, acts }: SqlRow): Link {
  return {
    direction: direction === 'in' ? 'in' : 'out',
    ...(typeof own === 'string' ? { column: own } : {}),
    otherTable: String(other),
    ...(typeof target === 'string' ? { otherColumn: target } : {}),
    ...(acts === true ? { acts } : {}),
  };
}
