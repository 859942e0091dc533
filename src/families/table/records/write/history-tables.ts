import { sql } from 'kysely';
import type { Database, RunSql } from '../../../../core/index.ts';
import { fullName } from '../../sql.ts';
import { perform, type RecordsContext } from '../records-context.ts';

const known = new WeakSet<Database>();

/** Creates the tables that store writes and their undo data if they do not exist yet. */
export async function createHistoryTables(run: RunSql, context: RecordsContext): Promise<void> {
  if (known.has(context.database) || (await hasHistoryTables(run, context))) return;
  const number =
    context.dialect.kind === 'sqlite'
      ? sql`integer primary key autoincrement`
      : sql`bigint generated always as identity primary key`;
  await perform(
    run,
    context,
    sql`create table if not exists skilled_writes (
      number ${number}, step_id text not null unique, table_name text not null, session text not null,
      at bigint not null, kind text not null, changes integer not null, has_images integer not null,
      undone_by text, result text not null)`,
  );
  await perform(
    run,
    context,
    sql`create table if not exists skilled_undo (
      write_number bigint not null, part integer not null, changes text not null, primary key (write_number, part))`,
  );
  await perform(
    run,
    context,
    sql`create index if not exists skilled_writes_of_table on skilled_writes (table_name, number)`,
  );
}

/** Whether the history tables exist. Caches a positive result. */
export async function hasHistoryTables(run: RunSql, context: RecordsContext): Promise<boolean> {
  const { database, dialect } = context;
  if (known.has(database)) return true;
  const [row] = await perform(
    run,
    context,
    dialect.kind === 'sqlite'
      ? sql`select count(*) as found from sqlite_master where type = 'table' and name in ('skilled_writes', 'skilled_undo')`
      : sql`select (to_regclass('skilled_writes') is not null and to_regclass('skilled_undo') is not null)::int * 2 as found`,
  );
  const isThere = Number(row?.['found']) === 2;
  if (isThere) known.add(database);
  return isThere;
}

/** Returns the name under which a table's history is stored. */
export function historyName({ physical }: Pick<RecordsContext, 'physical'>): string {
  return fullName(physical);
}
