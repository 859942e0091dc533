import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAgentError, type RunSql } from '../../core/index.ts';
import {
  ask,
  change,
  countOf,
  countUp,
  makeCounter,
  opened,
  statement,
  type OpenDatabase,
} from './test-database.ts';

/** Registers tests that check that transactions are atomic. */
export function checkChanges(open: OpenDatabase): void {
  test(
    'a transaction is applied, and its value is returned',
    opened(open, async (database) => {
      await makeCounter(database);
      const value = await database.write(async (run) => {
        await countUp(database, run);
        await countUp(database, run);
        return { any: 'value' };
      });
      assert.deepEqual(value, { any: 'value' });
      assert.equal(await countOf(database), 2);
    }),
  );

  test(
    'a transaction that throws is rolled back, and the error is rethrown',
    opened(open, async (database) => {
      await makeCounter(database);
      const thrown = new TypeError('my own');
      const work = database.write(async (run) => {
        await countUp(database, run);
        await run({ sql: 'create table more (a integer)', parameters: [] });
        throw thrown;
      });
      await assert.rejects(work, (error) => error === thrown);
      assert.equal(await countOf(database), 0);
      await change(database, 'create table more (a integer)');
      await database.write((run) => countUp(database, run));
      assert.equal(await countOf(database), 1);
    }),
  );

  test(
    'a failed statement fails the transaction, even if the work continues',
    opened(open, async (database) => {
      await makeCounter(database);
      const work = database.write(async (run) => {
        await countUp(database, run);
        await run(statement(database, 'insert into counter values (?)', null)).catch(() => undefined);
        await run(statement(database, 'insert into counter values (?)', 7)).catch(() => undefined);
        return 'well';
      });
      await assert.rejects(work, { code: 'usage.bad-input', details: { refused: 'other' } });
      assert.deepEqual(await ask(database, 'select count from counter'), [{ count: 0 }]);
    }),
  );

  test(
    'statements without await belong to the transaction, in order',
    opened(open, async (database) => {
      await makeCounter(database);
      await database.write(async (run) => {
        for (const add of [1, 2, 3])
          void run(statement(database, 'update counter set count = count * 10 + ?', add));
      });
      assert.equal(await countOf(database), 123);
    }),
  );

  test(
    'statements after the end of a transaction are refused',
    opened(open, async (database) => {
      await makeCounter(database);
      let late: RunSql | undefined;
      await database.write(async (run) => {
        late = run;
      });
      await assert.rejects(
        late?.({ sql: 'delete from counter', parameters: [] }) ?? Promise.resolve(),
        isAgentError,
      );
      assert.equal(await countOf(database), 0);
    }),
  );

  test(
    'a call to the database inside its own transaction is refused, without deadlock',
    opened(open, async (database) => {
      await makeCounter(database);
      for (const call of [() => countOf(database), () => database.write(async () => undefined)])
        await assert.rejects(
          database.write(async () => {
            await call();
          }),
          { code: 'internal.bug' },
        );
      assert.equal(await countOf(database), 0);
    }),
  );

  test(
    'a transaction returns the rows of its statements',
    opened(open, async (database) => {
      await makeCounter(database);
      const rows = await change(database, 'update counter set count = count + ? returning count', 5);
      assert.deepEqual(rows, [{ count: 5 }]);
      assert.deepEqual(await change(database, 'delete from counter'), []);
    }),
  );
}
