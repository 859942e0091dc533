import { sql } from 'kysely';
import type { Database, RunSql } from '../../../../core/index.ts';
import { fullName } from '../../sql/full-name.ts';
import { perform, type RecordsGround } from '../records-ground.ts';

const made = new WeakSet<Database>();

/** Makes the tables in which writes and what would take them back are kept, where they are missing. */
export async function makeKeptTables(run: RunSql, ground: RecordsGround): Promise<void> {
  if (made.has(ground.database) || (await hasKeptTables(run, ground))) return;
  const number =
    ground.dialect.kind === 'sqlite'
      ? sql`integer primary key autoincrement`
      : sql`bigint generated always as identity primary key`;
  await perform(
    run,
    ground,
    sql`create table if not exists skilled_writes (
      number ${number}, step_id text not null unique, table_name text not null, session text not null,
      at bigint not null, kind text not null, changes integer not null, has_images integer not null,
      undone_by text, result text not null)`,
  );
  await perform(
    run,
    ground,
    sql`create table if not exists skilled_undo (
      write_number bigint not null, part integer not null, changes text not null, primary key (write_number, part))`,
  );
  await perform(
    run,
    ground,
    sql`create index if not exists skilled_writes_of_table on skilled_writes (table_name, number)`,
  );
}

/** Whether there is anything kept; once there is, it is known without a look. */
export async function hasKeptTables(run: RunSql, ground: RecordsGround): Promise<boolean> {
  const { database, dialect } = ground;
  if (made.has(database)) return true;
  const [row] = await perform(
    run,
    ground,
    dialect.kind === 'sqlite'
      ? sql`select count(*) as found from sqlite_master where type = 'table' and name in ('skilled_writes', 'skilled_undo')`
      : sql`select (to_regclass('skilled_writes') is not null and to_regclass('skilled_undo') is not null)::int * 2 as found`,
  );
  const isThere = Number(row?.['found']) === 2;
  if (isThere) made.add(database);
  return isThere;
}

/** The name under which the writes of a table are kept. */
export function keptName({ physical }: Pick<RecordsGround, 'physical'>): string {
  return fullName(physical);
}
