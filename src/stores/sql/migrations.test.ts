import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import pg from 'pg';
import { startPostgres } from '../../../test/support/postgres.ts';
import { tree } from '../../../test/support/tree.ts';
import { openPostgres } from '../postgres/connection.ts';
import { buildPostgresDialect, openPostgresStore } from '../postgres/store.ts';
import { openSqlite } from '../sqlite/connection.ts';
import { openSqliteStore, sqliteDialect } from '../sqlite/store.ts';
import { migrate, migrations, pendingOf, type Migration } from './migrations.ts';

const server = await startPostgres();
after(() => server?.[Symbol.asyncDispose]());
const skip = server === undefined && 'PostgreSQL is not installed';

const next: Migration = {
  number: migrations.length + 1,
  statements: ({ table }) => [`alter table ${table('runs')} add column color text`],
};
const broken: Migration = {
  number: migrations.length + 2,
  statements: () => ['create table half (a integer)', 'alter table absent add column b text'],
};
const tooNew = { code: 'sandbox.store', message: /newer version/, hint: /^Update skilled/ };

test('migrations are counted from 1 without gaps', () => {
  assert.deepEqual(
    migrations.map(({ number }) => number),
    migrations.map((_, index) => index + 1),
  );
});

test('what was applied is not applied again, and newer databases are refused', () => {
  const known = [{ number: 1 }, { number: 2 }, { number: 3 }];
  assert.deepEqual(pendingOf(known, [], 'x'), known);
  assert.deepEqual(pendingOf(known, [1, 2], 'x'), [{ number: 3 }]);
  assert.deepEqual(pendingOf(known, [3, 1, 2], 'x'), []);
  assert.throws(() => pendingOf(known, [1, 2, 3, 4], 'x'), tooNew);
});

test('SQLite: the schema of a store is the released one to the letter', async () => {
  using folder = tree();
  await (await openSqliteStore(folder.at('runs.db'))).close();
  using connection = new DatabaseSync(folder.at('runs.db'));
  const rows = connection.prepare('select sql from sqlite_schema where sql is not null order by rowid').all();
  assert.deepEqual(
    rows.map(({ sql }) => sql),
    [
      'CREATE TABLE "migrations" ("number" integer primary key)',
      'CREATE TABLE "runs" ("run_id" text not null primary key, "epoch" text not null, "seq" integer not null, "status" text not null, "skill" text not null, "session_id" text not null, "title" text not null, "prepares" text, "owner" text not null, "started_at" double precision not null, "updated_at" double precision not null, "beat_at" double precision not null, "user_key" text)',
      'CREATE INDEX "runs_newest" on "runs" ("started_at" desc, "run_id" desc)',
      'CREATE INDEX "runs_by_status" on "runs" ("status", "started_at" desc, "run_id" desc)',
      'CREATE INDEX "runs_by_session" on "runs" (substr(session_id, 1, 64), "started_at" desc, "run_id" desc)',
      'CREATE INDEX "runs_by_age" on "runs" ("status", "updated_at")',
      'CREATE TABLE "events" ("run_id" text not null references "runs" ("run_id") on delete cascade, "seq" integer not null, "v" integer not null, "at" double precision not null, "frame_id" text not null, "type" text not null, "body" text not null, constraint "events_place" primary key ("run_id", "seq"))',
      'CREATE TABLE "entries" ("space" text not null, "key" text not null, "long_key" text, "value" text not null, "expires_at" double precision, constraint "entries_address" primary key ("space", "key"))',
      'CREATE INDEX "entries_by_age" on "entries" ("expires_at")',
      'CREATE INDEX "runs_by_user" on "runs" ("user_key", "started_at" desc, "run_id" desc)',
    ],
  );
});

test('PostgreSQL: the schema of a store is the released one', { skip }, async () => {
  const url = server?.url ?? '';
  await (await openPostgresStore(url, { schema: 'pinned' })).close();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const columns = await client.query<{ line: string }>(
    `select concat_ws(' ', table_name, string_agg(concat_ws(' ', column_name, data_type, collation_name, is_nullable), ', '
       order by ordinal_position)) as line from information_schema.columns where table_schema = 'pinned' group by table_name order by table_name`,
  );
  const indexes = await client.query<{ line: string }>(
    "select indexdef as line from pg_indexes where schemaname = 'pinned' order by indexname",
  );
  const links = await client.query<{ line: string }>(
    "select pg_get_constraintdef(oid) as line from pg_constraint where connamespace = 'pinned'::regnamespace and contype = 'f'",
  );
  await client.end();
  assert.deepEqual(
    [...columns.rows, ...indexes.rows, ...links.rows].map(({ line }) => line),
    [
      'entries space text C NO, key text C NO, long_key text C YES, value text C NO, expires_at double precision YES',
      'events run_id text C NO, seq integer NO, v integer NO, at double precision NO, frame_id text C NO, type text C NO, body text C NO',
      'migrations number integer NO',
      'runs run_id text C NO, epoch text C NO, seq integer NO, status text C NO, skill text C NO, session_id text C NO, title text C NO, prepares text C YES, owner text C NO, started_at double precision NO, updated_at double precision NO, beat_at double precision NO, user_key text C YES',
      'CREATE UNIQUE INDEX entries_address ON pinned.entries USING btree (space, key)',
      'CREATE INDEX entries_by_age ON pinned.entries USING btree (expires_at)',
      'CREATE UNIQUE INDEX events_place ON pinned.events USING btree (run_id, seq)',
      'CREATE UNIQUE INDEX migrations_pkey ON pinned.migrations USING btree (number)',
      'CREATE INDEX runs_by_age ON pinned.runs USING btree (status, updated_at)',
      'CREATE INDEX runs_by_session ON pinned.runs USING btree (substr(session_id, 1, 64), started_at DESC, run_id DESC)',
      'CREATE INDEX runs_by_status ON pinned.runs USING btree (status, started_at DESC, run_id DESC)',
      'CREATE INDEX runs_by_user ON pinned.runs USING btree (user_key, started_at DESC, run_id DESC)',
      'CREATE INDEX runs_newest ON pinned.runs USING btree (started_at DESC, run_id DESC)',
      'CREATE UNIQUE INDEX runs_pkey ON pinned.runs USING btree (run_id)',
      'FOREIGN KEY (run_id) REFERENCES pinned.runs(run_id) ON DELETE CASCADE',
    ],
  );
});

test('SQLite: steps are made once, all or nothing, and keep what is there', async () => {
  using folder = tree();
  const file = folder.at('runs.db');
  const store = await openSqliteStore(file);
  await store.claim('r1', 'me');
  await store.close();

  const connection = await openSqlite(file, { use: 'store', location: file });
  await assert.rejects(migrate(connection, sqliteDialect, [...migrations, next, broken]), /absent/);
  await (await openSqliteStore(file)).close(); // nothing of the broken one was kept
  await migrate(connection, sqliteDialect, [...migrations, next]);
  await migrate(connection, sqliteDialect, [...migrations, next]);
  const rows = await connection.read({ sql: 'select run_id, color from runs', parameters: [] });
  await connection.close();
  assert.deepEqual(rows, [{ run_id: 'r1', color: null }]);
  await assert.rejects(openSqliteStore(file), tooNew);
});

test('PostgreSQL: steps are made once, all or nothing, and keep what is there', { skip }, async () => {
  const url = server?.url ?? '';
  const store = await openPostgresStore(url);
  await store.claim('r1', 'me');
  await store.close();

  const connection = await openPostgres(url, { use: 'store', max: 1 });
  const migrateTo = (...more: readonly Migration[]): Promise<void> =>
    migrate(connection, buildPostgresDialect('skilled'), [...migrations, ...more]);
  await assert.rejects(migrateTo(next, broken), /absent/);
  await (await openPostgresStore(url)).close(); // nothing of the broken one was kept
  await migrateTo(next);
  await migrateTo(next);
  const rows = await connection.read({ sql: 'select run_id, color from skilled.runs', parameters: [] });
  await connection.close();
  assert.deepEqual(rows, [{ run_id: 'r1', color: null }]);
  await assert.rejects(openPostgresStore(url), tooNew);
});
