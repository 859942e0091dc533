import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../core/index.ts';
import {
  change,
  countOf,
  countUp,
  makeCounter,
  opened,
  statement,
  type OpenDatabase,
} from './test-database.ts';

/** Registers tests that check that concurrent transactions are isolated. */
export function checkConcurrency(open: OpenDatabase, again: (() => Promise<Database>) | undefined): void {
  test(
    'fifty parallel transactions lose no update',
    opened(open, async (database) => {
      await makeCounter(database);
      await Promise.all(Array.from({ length: 50 }, () => database.write((run) => countUp(database, run))));
      assert.equal(await countOf(database), 50);
    }),
  );

  test(
    'a failing transaction does not affect the others',
    opened(open, async (database) => {
      await makeCounter(database);
      const ends = await Promise.allSettled(
        Array.from({ length: 20 }, (_, index) =>
          database.write(async (run) => {
            await countUp(database, run);
            if (index % 4 === 0) throw new Error('no');
          }),
        ),
      );
      assert.equal(ends.filter(({ status }) => status === 'rejected').length, 5);
      assert.equal(await countOf(database), 15);
    }),
  );

  test(
    'a read sees the state before or after a transaction, and all earlier writes',
    opened(open, async (database) => {
      await makeCounter(database);
      const counts: Promise<unknown>[] = [];
      for (let round = 1; round <= 10; round += 1) {
        await database.write(async (run) => {
          await countUp(database, run);
          await countUp(database, run);
        });
        counts.push(countOf(database));
        const written = database.write(async (run) => {
          await countUp(database, run);
          await countUp(database, run);
        });
        counts.push(countOf(database));
        await written;
      }
      for (const [index, count] of (await Promise.all(counts)).entries()) {
        const least = Math.floor(index / 2) * 4 + 2;
        assert.ok(Number(count) >= least, `read ${index} saw ${String(count)}, which is too old`);
        assert.equal(Number(count) % 2, 0, `read ${index} saw the middle of a transaction`);
      }
    }),
  );

  if (again !== undefined) checkSharing(open, again);
}

function checkSharing(open: OpenDatabase, again: () => Promise<Database>): void {
  const withTwo = (work: (one: Database, other: Database) => Promise<void>): (() => Promise<void>) =>
    opened(open, async (one) => {
      const other = await again();
      try {
        await work(one, other);
      } finally {
        await other.close();
      }
    });

  test(
    'reads during a transaction see the state before it, without waiting',
    withTwo(async (one, other) => {
      await makeCounter(one);
      await one.write(async (run) => {
        await countUp(one, run);
        assert.equal(await countOf(other), 0);
        await countUp(one, run);
        assert.equal(await countOf(other), 0);
      });
      assert.equal(await countOf(other), 2);
    }),
  );

  test(
    'transactions of two handles lose no update',
    withTwo(async (one, other) => {
      await makeCounter(one);
      const both = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? one : other));
      await Promise.all(both.map((database) => database.write((run) => countUp(database, run))));
      assert.equal(await countOf(other), 20);
    }),
  );

  test(
    'a condition that two transactions check at once still holds',
    withTwo(async (one, other) => {
      await change(one, 'create table taken (place integer)');
      const take = (database: Database, slot: number): Promise<void> =>
        database.write(async (run) => {
          const rows = await run({ sql: 'select place from taken', parameters: [] });
          await new Promise(setImmediate);
          if (rows.length < 3) await run(statement(database, 'insert into taken values (?)', slot));
        });
      await Promise.all(Array.from({ length: 12 }, (_, index) => take(index % 2 === 0 ? one : other, index)));
      const rows = await one.read({ sql: 'select place from taken', parameters: [] });
      assert.equal(rows.length, 3);
    }),
  );
}
