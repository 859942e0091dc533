import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { startPostgres } from '../../../test/support/postgres.ts';
import { tree } from '../../../test/support/tree.ts';
import { buildPostgresDialect, migratePostgres, openPostgresStore } from '../postgres/store.ts';
import { buildSqliteDialect, migrateSqlite, openSqliteStore } from '../sqlite/store.ts';
import { migrations, pendingOf, type Migration } from './migrations.ts';

const server = await startPostgres();
after(() => server?.[Symbol.asyncDispose]());
const skip = server === undefined && 'PostgreSQL is not installed';

const next: Migration = {
  number: migrations.length + 1,
  statements: ({ database }) => [database.schema.alterTable('runs').addColumn('color', 'text')],
};
const broken: Migration = {
  number: migrations.length + 2,
  statements: ({ database }) => [
    database.schema.createTable('half').addColumn('a', 'integer'),
    database.schema.alterTable('absent').addColumn('b', sql`text`),
  ],
};
const tooNew = { code: 'sandbox.store', message: /newer version/, hint: /Update the package/ };

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

test('SQLite: steps are made once, all or nothing, and keep what is there', async () => {
  using folder = tree();
  const file = folder.at('runs.db');
  const store = await openSqliteStore(file);
  await store.claim('r1', 'me');
  await store.close();

  using connection = new DatabaseSync(file);
  const dialect = buildSqliteDialect();
  assert.throws(() => migrateSqlite(connection, dialect, file, [...migrations, next, broken]), /absent/);
  await (await openSqliteStore(file)).close(); // nothing of the broken one was kept
  migrateSqlite(connection, dialect, file, [...migrations, next]);
  migrateSqlite(connection, dialect, file, [...migrations, next]);
  assert.deepEqual(
    { ...connection.prepare('select run_id, color from runs').get() },
    { run_id: 'r1', color: null },
  );
  await assert.rejects(openSqliteStore(file), tooNew);
});

test('PostgreSQL: steps are made once, all or nothing, and keep what is there', { skip }, async () => {
  const url = server?.url ?? '';
  const store = await openPostgresStore(url);
  await store.claim('r1', 'me');
  await store.close();

  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const migrate = (...more: readonly Migration[]): Promise<void> =>
    migratePostgres(client, buildPostgresDialect('skilled'), 'skilled', 'here', [...migrations, ...more]);
  await assert.rejects(migrate(next, broken), /absent/);
  await (await openPostgresStore(url)).close(); // nothing of the broken one was kept
  await migrate(next);
  await migrate(next);
  const { rows } = await client.query('select run_id, color from skilled.runs');
  await client.end();
  assert.deepEqual(rows, [{ run_id: 'r1', color: null }]);
  await assert.rejects(openPostgresStore(url), tooNew);
});
