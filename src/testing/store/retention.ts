import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentAfter } from '../../core/index.ts';
import {
  ended,
  makeRun,
  note,
  opened,
  readAll,
  resumed,
  started,
  waiting,
  type OpenStore,
} from './test-store.ts';

/**
 * Registers tests that check that runs are removed together with their events, and that only ended runs and
 * outdated values expire.
 */
export function checkRetention(open: OpenStore): void {
  test(
    'removed runs are deleted with their events',
    opened(open, async (store) => {
      for (const id of ['r1', 'r2', 'r3']) await makeRun(store, id, started(), note(id));
      assert.equal(await store.remove(['r1', 'r3', 'r3', 'none', '\0']), 2);
      assert.equal(await store.remove(['r1']), 0);
      assert.equal(await store.remove([]), 0);
      assert.deepEqual(
        (await store.runs()).map(({ id }) => id),
        ['r2'],
      );
      assert.deepEqual(await readAll(store, 'r1'), []);
      assert.equal((await readAll(store, 'r2')).length, 2);
      await store.claim('r1', 'me');
      assert.deepEqual(await readAll(store, 'r1'), []);
    }),
  );

  test(
    'only ended runs expire, and only if last written before the given time',
    opened(open, async (store) => {
      for (const status of ['done', 'failed', 'cancelled'] as const)
        await makeRun(store, status, started(), ended(status));
      await makeRun(store, 'running', started());
      await makeRun(store, 'waiting', started(), waiting());
      await store.claim('claimed', 'me');
      await store.set('s', 'kept', 1, 1_000_000);
      await store.set('s', 'over', 1, 0);
      const written = (await store.runs({ ids: ['done'] }))[0]?.updatedAt ?? Number.NaN;
      assert.equal(await store.expire(written), 0);
      assert.equal((await store.runs()).length, 6);
      assert.equal(await store.expire(written + 1_000_000), 3);
      assert.deepEqual((await store.runs()).map(({ id }) => id).sort(), ['claimed', 'running', 'waiting']);
      assert.deepEqual(await readAll(store, 'done'), []);
      assert.equal((await readAll(store, 'waiting')).length, 2);
      assert.deepEqual([...(await store.entries('s')).keys()], ['kept']);
    }),
  );
}

/** Registers tests for the effects of time on runs and values. */
export function checkTime(open: OpenStore, pass: (milliseconds: number) => Promise<void>): void {
  test(
    'a running run whose owner is silent is considered interrupted',
    opened(open, async (store) => {
      const statusOf = async (id: string) => (await store.runs({ ids: [id] }))[0]?.status;
      const idsWith = async (status: 'running' | 'interrupted') =>
        (await store.runs({ status: [status] })).map(({ id }) => id).sort();
      await makeRun(store, 'lost', started());
      const held = await makeRun(store, 'held', started());
      const waits = await makeRun(store, 'waits', started(), waiting());
      await makeRun(store, 'ended', started(), ended());
      await pass(silentAfter / 2);
      assert.deepEqual(await idsWith('interrupted'), []);
      assert.equal(
        (
          await store.beat(
            new Map([
              ['held', held],
              ['lost', 'stale'],
            ]),
          )
        ).size,
        1,
      );
      await pass(silentAfter / 2 + 1_000);

      assert.deepEqual([await idsWith('running'), await idsWith('interrupted')], [['held'], ['lost']]);
      assert.deepEqual(
        [await statusOf('lost'), await statusOf('waits'), await statusOf('ended')],
        ['interrupted', 'waiting', 'done'],
      );
      assert.equal((await store.runs({ status: ['running', 'interrupted'], limit: 9 })).length, 2);
      assert.equal(await store.expire(Number.MAX_SAFE_INTEGER), 1);

      await store.append('waits', waits, [resumed()]);
      // The owner has just written to this run, so the run is not interrupted.
      assert.equal(await statusOf('waits'), 'running');
      await store.claim('lost', 'rescuer');
      assert.deepEqual(
        [await idsWith('running'), await idsWith('interrupted')],
        [['held', 'lost', 'waits'], []],
      );
    }),
  );

  test(
    'a value exists until it expires',
    opened(open, async (store) => {
      await store.set('s', 'short', 1, 5_000);
      await store.set('s', 'long', 1, 500_000);
      await store.set('s', 'kept', 1, 5_000);
      await store.set('s', 'kept', 1);
      assert.ok(await store.swap('s', 'swapped', undefined, 1, 5_000));
      await store.set('s', 'renewed', 1, 5_000);
      assert.ok(await store.swap('s', 'renewed', 1, 2, 500_000));
      assert.equal(await store.get('s', 'short'), 1);
      await pass(10_000);
      assert.equal(await store.get('s', 'short'), undefined);
      assert.equal(await store.swap('s', 'swapped', 1, 2), false);
      assert.ok(await store.swap('s', 'renewed', 2, 3, 0));
      assert.deepEqual([...(await store.entries('s')).keys()], ['kept', 'long']);
      assert.equal(await store.add('s', 'short', 2), true);
      assert.equal(await store.add('s', 'long', 2), false);
    }),
  );

  test(
    'a write resets the age of a run, a claim does not',
    opened(open, async (store) => {
      await makeRun(store, 'claimed', started(), ended());
      const epoch = await makeRun(store, 'written', started(), ended());
      await pass(100_000);
      await store.claim('claimed', 'me');
      await store.append('written', epoch, []);
      const [written] = await store.runs({ ids: ['written'] });
      assert.ok(written !== undefined && written.updatedAt - written.startedAt >= 99_000);
      assert.equal(await store.expire(written.updatedAt - 50_000), 1);
      assert.deepEqual(
        (await store.runs()).map(({ id }) => id),
        ['written'],
      );
    }),
  );
}
