import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isAgentError, type Store } from '../../core/index.ts';
import { checkClaims } from './claims.ts';
import { checkEvents } from './events.ts';
import { checkListings } from './listings.ts';
import { checkRetention, checkTime } from './retention.ts';
import { makeRun, note, opened, readAll, refusesOvertaken, started, type OpenStore } from './test-store.ts';
import { checkValues } from './values.ts';

/** What else the contract can use of a store. */
export interface StoreFixtures {
  /** Opens what `open` opened last once more, for a store that several processes share. */
  readonly again?: () => Promise<Store>;
  /** Lets so many milliseconds pass for what `open` opened last, for example by making all its times older. */
  readonly pass?: (milliseconds: number) => Promise<void>;
  /** Runs of the random check; 25 unless given. */
  readonly runs?: number;
}

/** Registers the checks that every store passes; `open` gives an empty store each time, and each is closed again. */
export function storeContract(name: string, open: () => Promise<Store>, more: StoreFixtures = {}): void {
  const { again, pass, runs = 25 } = more;

  describe(`the ${name} store keeps the contract`, () => {
    checkClaims(open);
    checkEvents(open);
    checkListings(open);
    checkRetention(open);
    checkValues(open);
    checkLife(open);
    if (again !== undefined) checkHandles(open, again);
    if (pass !== undefined) checkTime(open, pass);
    test('any calls have the answers of the store in memory', async () => {
      const { checkAnyCalls } = await import('./random-calls.ts'); // only this one needs the package it loads
      await checkAnyCalls(open, runs);
    });
  });
}

/** Two handles on one store see the same. */
function checkHandles(open: OpenStore, again: OpenStore): void {
  test(
    'what one handle writes, the other sees',
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
        await refusesOvertaken(
          one.append('r1', epoch, [note('stale')], [{ space: 's', key: 'k', value: 2 }]),
        );
        assert.deepEqual([...(await one.beat(new Map([['r1', epoch]])))], ['r1']);
        assert.deepEqual([...(await one.beat(new Map([['r1', taken]])))], []);
        assert.equal(await one.get('s', 'k'), 1);
        await one.release(new Map([['r1', taken]]));
        assert.equal((await other.runs())[0]?.status, 'interrupted');
        await refusesOvertaken(other.append('r1', taken, [note('released')]));
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
  delete: (store) => store.delete('s', 'k'),
  clear: (store) => store.clear('s'),
  entries: (store) => store.entries('s'),
};

/** Closing waits for what has begun, and nothing begins after it. */
function checkLife(open: OpenStore): void {
  test('after it was closed, every call is refused', async () => {
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

  test('closing waits for the calls that were made before', async () => {
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
