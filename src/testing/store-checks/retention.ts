import assert from 'node:assert/strict';
import { test } from 'node:test';
import { opened, readAll, type Open } from './opened.ts';
import { ended, makeRun, note, started, waiting } from './samples.ts';

/** What is forgotten is forgotten with everything that belongs to it. */
export function checkRetention(open: Open): void {
  test(
    'removed runs are gone with their events',
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
    'only ended runs expire, and only those that were written before the moment',
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
