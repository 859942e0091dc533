import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isAgentError, type Store } from '../../core/index.ts';
import { checkClaims } from './claims.ts';
import { checkEvents } from './events.ts';
import { checkListings } from './listings.ts';
import { checkRetention, checkTime } from './retention.ts';
import {
  makeRun,
  note,
  opened,
  readAll,
  rejectsWithClaimLost,
  started,
  type OpenStore,
} from './test-store.ts';
import { checkValues } from './values.ts';

/** Optional functions and settings for testing a store. */
export interface StoreFixtures {
  /**
   * Opens another handle to the store that the last call of `open` returned. Set this only if several
   * processes can share a store.
   */
  readonly again?: () => Promise<Store>;
  /**
   * Simulates the passing of time in the store that was opened last, for example by changing its timestamps.
   */
  readonly pass?: (milliseconds: number) => Promise<void>;
  /** The number of random call sequences to test. Defaults to 25. */
  readonly runs?: number;
}

/**
 * Registers the tests that every store must pass. `open` opens an empty store. Each test closes the store
 * that it opened.
 */
export function storeContract(name: string, open: () => Promise<Store>, more: StoreFixtures = {}): void {
  const { again, pass, runs = 25 } = more;

  describe(`the ${name} store keeps the contract`, () => {
    checkClaims(open);
    checkEvents(open);
    checkListings(open);
    checkRetention(open);
    checkValues(open);
    checkClosing(open);
    if (again !== undefined) checkHandles(open, again);
    if (pass !== undefined) checkTime(open, pass);
    test('random calls have the same results as in the memory store', async () => {
      const { checkAnyCalls } = await import('./random-calls.ts'); // Only this test loads fast-check.
      await checkAnyCalls(open, runs);
    });
  });
}

/** Registers tests that check that two handles of the same store have the same content. */
function checkHandles(open: OpenStore, again: OpenStore): void {
  test(
    'one handle sees the writes of the other',
    opened(open, async (one) => {
      const other = await again();
      try {
        const epoch = await makeRun(one, 'r1', started(), note('from one'));
        await one.set('s', 'k', 1);
        assert.deepEqual(await readAll(other, 'r1'), await readAll(one, 'r1'));
        assert.deepEqual(await other.runs(), await one.runs());
        assert.equal(await other.get('s', 'k'), 1);
        assert.equal(await other.append('r1', epoch, [note('from the other')]), 3);

        const taken = await other.claim('r1', 'other');
        await rejectsWithClaimLost(
          one.append('r1', epoch, [note('stale')], [{ space: 's', key: 'k', value: 2 }]),
        );
        assert.deepEqual([...(await one.beat(new Map([['r1', epoch]])))], ['r1']);
        assert.deepEqual([...(await one.beat(new Map([['r1', taken]])))], []);
        assert.equal(await one.get('s', 'k'), 1);
        await one.release(new Map([['r1', taken]]));
        assert.equal((await other.runs())[0]?.status, 'interrupted');
        await rejectsWithClaimLost(other.append('r1', taken, [note('released')]));
        assert.equal(await other.remove(['r1']), 1);
        assert.deepEqual(await one.runs(), []);
      } finally {
        await other.close();
      }
    }),
  );

  test(
    'two handles that write at once lose nothing',
    opened(open, async (one) => {
      const other = await again();
      try {
        const epoch = await one.claim('r1', 'me');
        const writes = Array.from({ length: 40 }, (_, index) => {
          const handle = index % 2 === 0 ? one : other;
          const entries = ['b', 'a'].map((key) => ({ space: 's', key: `${key}${index % 3}`, value: index }));
          return handle.append(
            'r1',
            epoch,
            [note(String(index))],
            index % 4 < 2 ? entries : entries.reverse(),
          );
        });
        const ends = await Promise.all(writes);
        assert.deepEqual(
          [...ends].sort((a, b) => a - b),
          Array.from(ends, (_, index) => index + 1),
        );
        const read = await readAll(one, 'r1');
        for (const [index, end] of ends.entries())
          assert.equal((read[end - 1] as { message?: string }).message, String(index));
      } finally {
        await other.close();
      }
    }),
  );
}

const calls: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  claim: (store) => store.claim('r1', 'me'),
  append: (store) => store.append('r1', 'epoch', [note('x')]),
  beat: (store) => store.beat(new Map()),
  release: (store) => store.release(new Map()),
  read: (store) => readAll(store, 'r1'),
  runs: (store) => store.runs(),
  remove: (store) => store.remove([]),
  expire: (store) => store.expire(0),
  get: (store) => store.get('s', 'k'),
  set: (store) => store.set('s', 'k', 1),
  add: (store) => store.add('s', 'k', 1),
  swap: (store) => store.swap('s', 'k', undefined, 1),
  delete: (store) => store.delete('s', 'k'),
  clear: (store) => store.clear('s'),
  entries: (store) => store.entries('s'),
};

/** Registers tests that check that `close` waits for pending calls and rejects new ones. */
function checkClosing(open: OpenStore): void {
  test('after closing, every call is refused', async () => {
    const store = await open();
    await store.close();
    await store.close();
    for (const [name, call] of Object.entries(calls))
      await assert.rejects(
        call(store),
        (thrown) => isAgentError(thrown) && thrown.code === 'sandbox.store',
        name,
      );
  });

  test('closing waits for earlier calls', async () => {
    const store = await open();
    const epoch = await store.claim('r1', 'me');
    const appended = Array.from({ length: 30 }, () => store.append('r1', epoch, [note('x')]));
    const [first, second] = [store.close(), store.close()];
    await assert.rejects(store.get('s', 'k'), isAgentError);
    assert.deepEqual(
      await Promise.all(appended),
      Array.from(appended, (_, index) => index + 1),
    );
    await Promise.all([first, second]);
  });
}
