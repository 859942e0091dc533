import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { startPostgres } from '../../../test/support/postgres.ts';
import { tree } from '../../../test/support/tree.ts';
import { openPostgres } from '../postgres/connection.ts';
import { connectSqlite, openSqlite } from '../sqlite/connection.ts';
import { openHandle } from '../sqlite/driver.ts';
import { createRowBuilder, execute, retry, type SqlConnection } from './connection.ts';

const folder = tree();
const server = await startPostgres();
after(async () => {
  await server?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const use = 'store';
const kinds: Readonly<Record<string, (() => Promise<SqlConnection>) | undefined>> = {
  'SQLite memory': () => openSqlite(':memory:', { use, location: 'memory' }),
  'SQLite file': () => openSqlite(folder.write('one.db', ''), { use, location: folder.at('one.db') }),
  'SQLite file with a reader': async () => {
    const options = { use, location: folder.write('two.db', '') } as const;
    const [writer, reader] = [
      await openHandle(options.location, options),
      await openHandle(options.location, options),
    ];
    return connectSqlite(options, writer, reader);
  },
  PostgreSQL: server && (() => openPostgres(server.url, { use, max: 3 })),
};

for (const [kind, open] of Object.entries(kinds))
  if (open === undefined) test(kind, { skip: 'PostgreSQL is not installed' });
  else describe(kind, () => checkConnection(open));

function checkConnection(open: () => Promise<SqlConnection>): void {
  const withTable = (check: (connection: SqlConnection) => Promise<void>) => async (): Promise<void> => {
    const connection = await open();
    try {
      await execute(connection, 'create table kept (value integer not null)');
      await check(connection);
    } finally {
      await execute(connection, 'drop table kept');
      await connection.close();
    }
  };
  const add = (value: number | 'null') => ({ sql: `insert into kept values (${value})`, parameters: [] });
  const all = { sql: 'select value from kept order by value', parameters: [] };

  test(
    'a batch gives the rows of each of its statements, which see those before',
    withTable(async (connection) => {
      assert.deepEqual(await connection.batch([add(1), all, add(2), all]), [
        ...[[], [{ value: 1 }], [], [{ value: 1 }, { value: 2 }]],
      ]);
      assert.deepEqual(await connection.batch([]), []);
    }),
  );

  test(
    'nothing of a batch happens of which one statement fails',
    withTable(async (connection) => {
      await assert.rejects(connection.batch([add(1), add('null'), add(2)]), { code: 'sandbox.store' });
      assert.deepEqual(await connection.read(all), []);
    }),
  );

  test(
    'a batch during a transaction is not part of it',
    withTable(async (connection) => {
      let batched: Promise<unknown> | undefined;
      const transaction = connection.transact(async (run) => {
        await run(add(1));
        batched = connection.batch([add(2)]);
        for (let turns = 0; turns < 10; turns += 1) await turn();
        throw new Error('no');
      });
      await assert.rejects(transaction, { message: 'no' });
      await batched;
      assert.deepEqual(await connection.read(all), [{ value: 2 }]);
    }),
  );

  test(
    'reads and batches at once disturb neither',
    withTable(async (connection) => {
      const reads = Array.from({ length: 5 }, () => connection.read(all));
      const batches = [1, 2, 3].map((value) => connection.batch([add(value), all]));
      await Promise.all([...reads, ...batches]);
      assert.equal((await connection.read(all)).length, 3);
    }),
  );
}

test('work is done again while it may be, and its last failure is translated', async () => {
  let attempts = 0;
  const work = (): number => {
    attempts += 1;
    if (attempts < 4) throw new Error(String(attempts));
    return attempts;
  };
  const translate = (thrown: unknown): Error => new Error(`translated ${(thrown as Error).message}`);
  assert.equal(await retry(work, { mayRetry: () => true, translate }), 4);
  attempts = 0;
  const mayRetry = (thrown: unknown): boolean => (thrown as Error).message !== '2';
  await assert.rejects(retry(work, { mayRetry, translate }), { message: 'translated 2' });
  attempts = 0;
  await assert.rejects(retry(work, { mayRetry: () => true, translate, patience: 0 }), {
    message: 'translated 1',
  });
});

test('a row has its columns as own members, and the last of two with one name', () => {
  const build = createRowBuilder(['__proto__', 'a', 'a', 'big']);
  const row = build([1n, 2, 3, 2n ** 60n]);
  assert.deepEqual(Object.entries(row), [
    ['__proto__', 1],
    ['a', 3],
    ['big', 2n ** 60n],
  ]);
});
