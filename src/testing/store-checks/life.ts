import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAgentError } from '../../core/error.ts';
import type { Store } from '../../core/store.ts';
import { readAll, type Open } from './opened.ts';
import { note } from './samples.ts';

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
export function checkLife(open: Open): void {
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
