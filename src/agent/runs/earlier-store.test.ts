import assert from 'node:assert/strict';
import { afterEach, mock, test } from 'node:test';
import { agentWith, done } from '../../../test/support/kernel.ts';
import type { Store } from '../../core/index.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { storeContract } from '../../testing/store/contract.ts';
import { currentStore } from './earlier-store.ts';

const realNow = Date.now;
let later = 0;

/** Returns the list to which the code of each later warning is added. */
function warnings(): readonly string[] {
  const codes: string[] = [];
  mock.method(process, 'emitWarning', (_message: string, options?: { readonly code?: string }) => {
    // Node's own warnings have no code here. They can come from other tests in this process.
    if (options?.code !== undefined) codes.push(options.code);
  });
  return codes;
}

afterEach(() => {
  later = 0;
  mock.restoreAll();
});

/** A store as a program for release 0.1 implements it: without `swap`, and unaware of expected values. */
function earlierStore(): Omit<Store, 'swap'> {
  const { swap: _swap, append, ...store } = createMemoryStore();
  return {
    ...store,
    append: (runId, epoch, events, entries = []) =>
      append(
        runId,
        epoch,
        events,
        entries.map(({ expected: _expected, ...entry }) => entry),
      ),
  };
}

storeContract(
  'earlier',
  async () => {
    warnings();
    return currentStore(earlierStore());
  },
  {
    async pass(milliseconds) {
      later += milliseconds;
      mock.method(Date, 'now', () => realNow() + later);
    },
  },
);

test('a program with a store of release 0.1 keeps its sessions, with one warning', async () => {
  const codes = warnings();
  const store = earlierStore() as Store;
  await using agent = agentWith(
    {
      counts: async (_input, scope) => {
        const count = Number((await scope.memory.get('count')) ?? 0) + 1;
        scope.memory.set('count', count);
        return done('', count);
      },
    },
    { store },
  );
  const values = await Promise.all(
    [1, 2, 3].map(async () => {
      const result = await agent.run({ skill: 'counts', session: 's' }).result;
      return result.ok ? result.value : result.error;
    }),
  );
  assert.deepEqual(values.sort(), [1, 2, 3]);
  assert.deepEqual(codes, ['SKILLED_STORE']);
});
