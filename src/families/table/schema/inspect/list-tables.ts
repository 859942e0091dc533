import { sql } from 'kysely';
import { runPiece } from '../../sql.ts';
import type { SqlExecutor, TableName } from './existing-table.ts';

/** Lists all tables and views that can be named without a schema, in search path order. */
export async function listTables(executor: SqlExecutor): Promise<readonly TableName[]> {
  const rows = await runPiece(executor, executor.kind === 'sqlite' ? inSqlite : inPostgres);
  return rows.map(({ schema, name }) =>
    typeof schema === 'string' ? { schema, table: String(name) } : { table: String(name) },
  );
}

const inSqlite = sql`
  select name from sqlite_master
  where type in ('table', 'view') and name not like 'sqlite\\_%' escape '\\' order by name`;

const inPostgres = sql`
  select n.nspname::text as schema, c.relname::text as name
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname = any (current_schemas(false))
  order by array_position(current_schemas(false), n.nspname), c.relname`;
