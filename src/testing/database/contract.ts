import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isAgentError, type Database } from '../../core/index.ts';
import { checkChanges } from './changes.ts';
import { checkConcurrency } from './concurrency.ts';
import { ask, change, opened, type OpenDatabase } from './test-database.ts';
import { checkSqlValues } from './values.ts';

/** Optional functions for testing a database. */
export interface DatabaseFixtures {
  /**
   * Opens another connection to the database that the last call of `open` returned. Set this only if several
   * connections can share a database.
   */
  readonly again?: () => Promise<Database>;
}

/**
 * Registers the tests that every database implementation must pass. `open` opens a database without tables.
 * Each test closes the database that it opened.
 */
export function databaseContract(
  name: string,
  open: () => Promise<Database>,
  { again }: DatabaseFixtures = {},
): void {
  describe(`the ${name} database keeps the contract`, () => {
    checkSqlValues(open);
    checkChanges(open);
    checkRefusals(open);
    checkConcurrency(open, again);
  });
}

const unique = { code: 'usage.bad-input', details: { refused: 'unique' }, hint: /./ };
const other = { code: 'usage.bad-input', details: { refused: 'other' }, hint: /./ };

/** Registers tests for rejected and failed statements. */
function checkRefusals(open: OpenDatabase): void {
  test(
    'changes that violate constraints are refused with the reason',
    opened(open, async (database) => {
      await change(
        database,
        'create table named (id bigint primary key, name text not null, size integer check (size > 0), twin text)',
      );
      await change(database, 'create unique index on_name on named (name)');
      const add = (...values: readonly (string | number | bigint | null)[]): Promise<unknown> =>
        change(database, 'insert into named (id, name, size, twin) values (?, ?, ?, ?)', ...values);
      await add(1, 'a', 1, 'same');
      await add(2, 'b', 1, 'same');
      await assert.rejects(add(1, 'c', 1, null), unique);
      await assert.rejects(add(3, 'a', 1, null), unique);
      await assert.rejects(change(database, 'update named set id = ? where id = ?', 1, 2), unique);
      await assert.rejects(change(database, 'create unique index on_twin on named (twin)'), unique);
      await assert.rejects(add(4, null, 1, null), other);
      await assert.rejects(add(5, 'd', 0, null), other);
      await assert.rejects(add(2n ** 63n, 'e', 1, null), other);
      await add(3, 'c', 1, null); // Succeeds because the earlier insert with this id was rejected.
      assert.deepEqual(await ask(database, 'select id from named order by id'), [
        { id: 1 },
        { id: 2 },
        { id: 3 },
      ]);
    }),
  );

  test(
    'errors name the database and the reason',
    opened(open, async (database) => {
      for (const call of [
        () => ask(database, 'select * from nowhere'),
        () => change(database, 'insert into nowhere values (?)', 1),
        () => ask(database, 'selec 1'),
      ])
        await assert.rejects(call(), (thrown: unknown) => {
          assert.ok(isAgentError(thrown), String(thrown));
          assert.equal(thrown.code, 'sandbox.store');
          assert.ok(thrown.message.includes(`database`) && thrown.hint !== undefined, thrown.message);
          assert.doesNotMatch(thrown.message, /store/);
          return true;
        });
      assert.deepEqual(await ask(database, 'select 1 as one'), [{ one: 1 }]);
    }),
  );

  test(
    'a second statement in the SQL text never runs',
    opened(open, async (database) => {
      await change(database, 'create table kept (value integer)');
      const two = 'select 1 as one; drop table kept';
      await Promise.allSettled([ask(database, two), change(database, two)]);
      assert.deepEqual(await ask(database, 'select * from kept'), []);
    }),
  );

  test('after closing, every call is refused; closing waits for earlier calls', async () => {
    const database = await open();
    await change(database, 'create table kept (value integer)');
    const begun = Array.from({ length: 20 }, (_, index) =>
      change(database, 'insert into kept values (?) returning value', index),
    );
    const ends = [database.close(), database.close()];
    await assert.rejects(ask(database, 'select 1'), { code: 'sandbox.store', message: /database is closed/ });
    await assert.rejects(change(database, 'select 1'), { code: 'sandbox.store' });
    assert.deepEqual(
      (await Promise.all(begun)).map(([row]) => row?.['value']),
      Array.from(begun, (_, index) => index),
    );
    await Promise.all(ends);
  });
}
