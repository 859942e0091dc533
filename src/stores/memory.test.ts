import assert from 'node:assert/strict';
import { afterEach, mock, test } from 'node:test';
import { storeContract } from '../testing/store/contract.ts';
import { createMemoryStore, createMemoryValues, type MemoryValues } from './memory.ts';

const realNow = Date.now;
let later = 0;

afterEach(() => {
  mock.restoreAll();
  later = 0;
});

storeContract('memory', async () => createMemoryStore(), {
  async pass(milliseconds) {
    later += milliseconds;
    mock.method(Date, 'now', () => realNow() + later);
  },
});

/** Creates values and a function that counts their spaces. */
function watchedValues(): { readonly values: MemoryValues; readonly held: () => number } {
  const maps: Map<unknown, unknown>[] = [];
  const Plain = globalThis.Map;
  globalThis.Map = class extends Plain {
    constructor() {
      super();
      maps.push(this);
    }
  };
  try {
    return { values: createMemoryValues(), held: () => maps[0]?.size ?? Number.NaN };
  } finally {
    globalThis.Map = Plain;
  }
}

test('a space is not held any longer than its last value', () => {
  const { values, held } = watchedValues();
  for (const key of ['a', 'b']) values.set('deleted', key, '1');
  values.delete('deleted', 'a');
  assert.equal(held(), 1);
  values.delete('deleted', 'b');
  values.delete('never there', 'b');
  assert.equal(held(), 0);
});

test('a space is not held any longer than the time of its last value', () => {
  const { values, held } = watchedValues();
  values.set('over', 'a', '1', -1);
  values.expire();
  assert.equal(held(), 0);
});
