import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import pg from 'pg';
import { bundled } from '../../test/support/bundled.ts';
import type { CountOrder } from '../../test/support/database-writer.ts';
import { startPostgres } from '../../test/support/postgres.ts';
import { tree } from '../../test/support/tree.ts';
import type { Database } from '../core/database.ts';
import { isAgentError } from '../core/error.ts';
import { ask, change, countOf, countUp, makeCounter } from '../testing/database/test-database.ts';
import { databaseContract } from '../testing/database/contract.ts';
import { openPostgresDatabase } from './postgres/database.ts';
import { openSqliteDatabase } from './sqlite/database.ts';
import { sourceFile } from '../../test/support/source-file.ts';

const folder = tree();
const server = await startPostgres();
after(async () => {
  await server?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

databaseContract('SQLite memory', () => openSqliteDatabase(':memory:'));

let last = 0;
const path = (): string => folder.at(`${last}.db`);
databaseContract('SQLite', () => openSqliteDatabase(((last += 1), path())), {
  again: () => openSqliteDatabase(path()),
});
describe('processes with one SQLite file', () =>
  checkProcesses(async () => ({ location: folder.at('shared.db') })));

if (server === undefined) test('the PostgreSQL database', { skip: 'PostgreSQL is not installed' });
else checkPostgres(server.url);

function checkPostgres(url: string): void {
  const address = (): string => `${url}?options=-csearch_path%3Dschema${last}`;
  const openNext = async (): Promise<Database> => {
    last += 1;
    await askServer(url, `create schema schema${last}`);
    return openPostgresDatabase(address());
  };
  databaseContract('PostgreSQL', openNext, { again: () => openPostgresDatabase(address()) });
  describe('processes with one PostgreSQL database', () =>
    checkProcesses(async () => {
      await (await openNext()).close();
      return { location: address() };
    }));

  test('PostgreSQL gives dates, times, numerics and JSON as text in UTC and ISO style', async () => {
    const database = await openPostgresDatabase(
      `${url}?options=-ctimezone%3DAsia%2FTokyo%20-cdatestyle%3DGerman`,
    );
    const [row] = await ask(
      database,
      `select date '2024-02-29' as d, timestamptz '2024-02-29T12:00:00+02:00' as z, timestamp '2024-02-29T12:00:00' as t,
        time '12:00:05' as c, numeric '1234567890.123456789012' as n, json '{"a": [1]}' as j, jsonb '{"a":[1]}' as b,
        interval '1 day 2 hours' as i, array[1,2] as a, uuid '00000000-0000-4000-8000-000000000000' as u, 'NaN'::float8 as f`,
    );
    assert.deepEqual(row, {
      d: '2024-02-29',
      z: '2024-02-29 10:00:00+00',
      t: '2024-02-29 12:00:00',
      c: '12:00:05',
      n: '1234567890.123456789012',
      j: '{"a": [1]}',
      b: '{"a": [1]}',
      i: 'P1DT2H',
      a: '{1,2}',
      u: '00000000-0000-4000-8000-000000000000',
      f: NaN,
    });
    await database.close();
  });

  test('a lost connection fails what was under way, and the next call makes a new one', async () => {
    const database = await openNext();
    await makeCounter(database);
    const own = "datname = current_database() and application_name = 'skilled'";
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity where ${own}`;
    await assert.rejects(
      database.write(async (run) => {
        await countUp(database, run);
        await askServer(url, cut);
        await countUp(database, run);
      }),
      { code: 'sandbox.store' },
    );
    assert.equal(await countOf(database), 0);
    await database.write((run) => countUp(database, run));
    assert.equal(await countOf(database), 1);
    await database.close();
  });

  test('an address that leads nowhere is refused without its password', async () => {
    const { port } = new URL(url);
    for (const [address, message] of [
      ['postgres://me:secret@127.0.0.1:1/none', /database "none" on 127\.0\.0\.1:1 /],
      [`postgres://postgres:secret@127.0.0.1:${port}/absent`, /database "absent" on .*does not exist/],
      ['postgres://me:secret@[bad/none', /URL of the PostgreSQL database is invalid/],
    ] as const) {
      const thrown: unknown = await openPostgresDatabase(address).catch((error: unknown) => error);
      assert.ok(isAgentError(thrown), String(thrown));
      assert.equal(thrown.code, 'sandbox.store');
      assert.match(thrown.message, message);
      assert.ok(
        !JSON.stringify([thrown.message, thrown.hint, thrown.cause, String(thrown.cause)]).includes('secret'),
      );
    }
  });
}

async function askServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

function checkProcesses(make: () => Promise<{ readonly location: string }>): void {
  test('lose no update, and one that is killed in the middle of a transaction leaves nothing', async () => {
    const { location } = await make();
    const isFile = !location.includes('://');
    await using database = closing(
      await (isFile ? openSqliteDatabase(location) : openPostgresDatabase(location)),
    );
    await makeCounter(database);
    const workers = await Promise.all([0, 1].map(() => start({ database: location, times: 40 })));
    for (const worker of workers) worker.send('go');
    await Promise.all(workers.map((worker) => once(worker, 'exit')));
    assert.equal(await countOf(database), 80);

    const victim = await start({ database: location, times: 1, stays: true });
    const isOpen = once(victim, 'message');
    victim.send('go');
    assert.deepEqual((await isOpen)[0], 'open');
    assert.equal(await countOf(database), 81);
    const written = database.write((run) => countUp(database, run)); // it waits for the victim, or runs before it
    victim.kill('SIGKILL');
    await once(victim, 'exit');
    await written;
    assert.equal(await countOf(database), 82);
  });
}

const program = sourceFile('test/support/database-writer.ts');

async function start(order: CountOrder): Promise<ChildProcess> {
  const worker = fork(await bundled(program), [JSON.stringify(order)]);
  await once(worker, 'message');
  return worker;
}

function closing(database: Database): Database & AsyncDisposable {
  return { ...database, [Symbol.asyncDispose]: () => database.close() };
}

test('a file is for its owner only, and keeps what was written', async () => {
  using directory = tree();
  const first = await openSqliteDatabase(directory.at('records.db'));
  await makeCounter(first);
  const files = readdirSync(directory.path);
  assert.deepEqual(files, ['records.db', 'records.db-shm', 'records.db-wal']);
  for (const file of files) assert.equal(statSync(directory.at(file)).mode & 0o777, 0o600, file);
  await first.close();
  assert.deepEqual(readdirSync(directory.path), ['records.db']);
  const second = await openSqliteDatabase(directory.at('records.db'));
  assert.equal(await countOf(second), 0);
  await second.close();
});

test('a lock of somebody else makes writers wait, and readers continue', async () => {
  using directory = tree();
  const database = await openSqliteDatabase(directory.at('records.db'));
  await makeCounter(database);
  using other = new DatabaseSync(directory.at('records.db'));
  other.exec('begin immediate');
  let isDone = false;
  const done = database.write((run) => countUp(database, run)).finally(() => (isDone = true));
  for (let turns = 0; turns < 50; turns += 1) await turn();
  assert.equal(isDone, false, 'it did not wait for the lock');
  assert.equal(await countOf(database), 0);
  other.exec('rollback');
  await done;
  assert.equal(await countOf(database), 1);
  await database.close();
});

test('a read of SQLite changes nothing, and columns that were added meanwhile are there', async () => {
  for (const where of [':memory:', folder.at('only-read.db')]) {
    const database = await openSqliteDatabase(where);
    await makeCounter(database);
    await assert.rejects(ask(database, 'insert into counter values (1)'), { code: 'sandbox.store' });
    assert.deepEqual(await ask(database, 'select * from counter'), [{ count: 0 }]);
    await change(database, 'alter table counter add column more text');
    assert.deepEqual(await ask(database, 'select * from counter'), [{ count: 0, more: null }]);
    await database.close();
  }
});

test('what is not a database is refused with its path and a hint', async () => {
  using directory = tree({
    'text.db': 'This is a text of some length, and by no means a database.\n'.repeat(20),
  });
  for (const file of [directory.at('text.db'), directory.path, directory.at('no', 'records.db')])
    await assert.rejects(openSqliteDatabase(file), (thrown: unknown) => {
      assert.ok(isAgentError(thrown), String(thrown));
      assert.equal(thrown.code, 'sandbox.store');
      assert.ok(thrown.message.includes(`database ${file}`) && thrown.hint !== undefined, thrown.message);
      return true;
    });
});
