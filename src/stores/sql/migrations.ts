import { AgentError, type RunSql, type SqlStatement } from '../../core/index.ts';
import { execute, type SqlConnection } from './connection.ts';
import type { Dialect } from './dialect.ts';

/**
 * A change of the tables from the previous schema version to a new one. A migration never changes after its
 * release.
 */
export interface Migration {
  /** The version of the schema after the migration. Versions start at 1 and have no gaps. */
  readonly number: number;
  /** Returns the statements to run, in order. Their text must never change. */
  statements(dialect: Dialect): readonly string[];
}

/** All migrations, oldest first. */
export const migrations: readonly Migration[] = [
  { number: 1, statements: firstTables },
  { number: 2, statements: userColumn },
];

/**
 * Runs the migrations that a store still needs, in one transaction. Other processes wait until that
 * transaction has ended.
 */
export async function migrate(
  connection: SqlConnection,
  dialect: Dialect,
  known: readonly Migration[] = migrations,
): Promise<void> {
  const table = dialect.table('migrations');
  const findPending = async (run: RunSql): Promise<readonly Migration[]> => {
    const applied = await run(plain(`select number from ${table}`));
    return pendingOf(
      known,
      applied.map(({ number }) => Number(number)),
      connection.location,
    );
  };

  // Usually there are no migrations to run. Checking this requires neither a lock nor the privilege to create
  // tables.
  const look: RunSql = ({ sql, parameters }) => execute(connection, sql, ...parameters);
  const isThere = (await look(dialect.findMigrations)).length > 0;
  if (isThere && (await findPending(look)).length === 0) return;

  await connection.transact(async (run) => {
    await dialect.prepare(run);
    await run(plain(`create table if not exists ${table} ("number" integer primary key)`));
    for (const { number, statements } of await findPending(run)) {
      for (const sql of statements(dialect)) await run(plain(sql));
      await run(plain(`insert into ${table} (number) values (${number})`));
    }
  }, 'read committed');
}

function plain(sql: string): SqlStatement {
  return { sql, parameters: [] };
}

function firstTables(dialect: Dialect): readonly string[] {
  return [...runTables(dialect), ...eventTables(dialect), ...entryTables(dialect)];
}

function runTables({ table, text }: Dialect): readonly string[] {
  const runs = table('runs');
  const columns = [
    `"run_id" ${text} not null primary key`,
    `"epoch" ${text} not null`,
    '"seq" integer not null',
    `"status" ${text} not null`,
    `"skill" ${text} not null`,
    `"session_id" ${text} not null`,
    `"title" ${text} not null`,
    `"prepares" ${text}`,
    `"owner" ${text} not null`,
    '"started_at" double precision not null',
    '"updated_at" double precision not null',
    '"beat_at" double precision not null',
  ];
  return [
    `create table ${runs} (${columns.join(', ')})`,
    `create index "runs_newest" on ${runs} ("started_at" desc, "run_id" desc)`,
    `create index "runs_by_status" on ${runs} ("status", "started_at" desc, "run_id" desc)`,
    // The index contains only the start of each session id, because a complete id can be too long for an
    // index.
    `create index "runs_by_session" on ${runs} (substr(session_id, 1, 64), "started_at" desc, "run_id" desc)`,
    `create index "runs_by_age" on ${runs} ("status", "updated_at")`,
  ];
}

function userColumn({ table, text }: Dialect): readonly string[] {
  const runs = table('runs');
  return [
    `alter table ${runs} add column "user_key" ${text}`,
    `create index "runs_by_user" on ${runs} ("user_key", "started_at" desc, "run_id" desc)`,
  ];
}

function eventTables({ table, text }: Dialect): readonly string[] {
  const columns = [
    `"run_id" ${text} not null references ${table('runs')} ("run_id") on delete cascade`,
    '"seq" integer not null',
    '"v" integer not null',
    '"at" double precision not null',
    `"frame_id" ${text} not null`,
    `"type" ${text} not null`,
    `"body" ${text} not null`,
    'constraint "events_place" primary key ("run_id", "seq")',
  ];
  return [`create table ${table('events')} (${columns.join(', ')})`];
}

function entryTables({ table, text }: Dialect): readonly string[] {
  const columns = [
    `"space" ${text} not null`,
    `"key" ${text} not null`,
    `"long_key" ${text}`,
    `"value" ${text} not null`,
    '"expires_at" double precision',
    'constraint "entries_address" primary key ("space", "key")',
  ];
  return [
    `create table ${table('entries')} (${columns.join(', ')})`,
    `create index "entries_by_age" on ${table('entries')} ("expires_at")`,
  ];
}

/**
 * Returns the migrations that a database still needs, oldest first. Throws if a newer version of this package
 * created the database. Pure.
 */
export function pendingOf<Step extends { readonly number: number }>(
  known: readonly Step[],
  applied: readonly number[],
  location: string,
): readonly Step[] {
  const newest = Math.max(0, ...applied);
  const ours = Math.max(0, ...known.map(({ number }) => number));
  if (newest > ours) {
    throw new AgentError(
      'sandbox.store',
      `The store ${location} was written by a newer version of skilled (its tables have version ${newest}, but this version supports ${ours}).`,
      { hint: 'Update skilled, or use another store.' },
    );
  }
  return known.filter(({ number }) => number > newest);
}
