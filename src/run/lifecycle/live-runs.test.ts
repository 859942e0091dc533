import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentWith, done, hang, settled, until } from '../../../test/support/kernel.ts';
import type { Store } from '../../core/store.ts';
import { createMemoryStore } from '../../stores/memory.ts';

test('beats continue while a store is slow to say which answers there are', async () => {
  const store = createMemoryStore();
  let [beats, looks] = [0, 0];
  const slow: Store = {
    ...store,
    beat: (claims) => {
      beats++;
      return store.beat(claims);
    },
    entries: (space) => (looks++ === 0 ? store.entries(space) : hang()),
  };
  const agent = agentWith(
    {
      top: async (_input, scope) =>
        done('', await Promise.all([scope.ask('x'), scope.step('s', () => hang(scope.signal))])),
    },
    { store: slow },
  );
  const run = agent.run({ skill: 'top' });
  await until(() => looks > 1);
  const before = beats;
  await until(() => beats > before + 1);
  assert.equal(looks, 2);
  await settled(run.cancel());
  await agent.shutdown();
});
