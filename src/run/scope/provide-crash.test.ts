// Own process: its agents stand for processes that died, and one of them may never stop.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentWith, codeOf, done, said, yesPolicy } from '../../../test/support/kernel.ts';
import type { ProvidedSkill } from '../../core/scope.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { everyCrash } from '../../testing/crash-harness.ts';

test('after a crash what was provided is provided again, and what it gave is given again', async () => {
  let listings = 0;
  let acts: readonly string[] = [];
  const crashes = await everyCrash(
    {
      open: () => {
        listings = 0;
        acts = [];
        return createMemoryStore();
      },
      async live({ store, effect }) {
        const tool = (name: string): ProvidedSkill => ({
          name,
          source: 'mcp',
          digest: 'sha256:aa',
          card: { description: 'Acts.', label: 'mcp__box__act' },
          permission: { label: 'mcp__box__act' },
          run: async (input, { run: { idempotencyKey } }) => {
            await effect(() => void (acts = [...acts, idempotencyKey]));
            return done(`${name} ${JSON.stringify(input)}`);
          },
        });
        const agent = agentWith(
          {
            top: async (_input, scope) => {
              const list = (): Promise<string[]> =>
                effect(() => {
                  listings += 1;
                  return ['box.get', 'box.put'];
                });
              scope.skills.provide((await scope.step('tools:box', list)).map(tool));
              const first = await scope.call('box.get', 1);
              const more = await Promise.all([scope.call('box.put', said(first)), scope.call('box.get', 2)]);
              return done('', [first, ...more].map(said));
            },
          },
          { policy: yesPolicy, store },
        );
        void store.crashed.then(() => agent.shutdown({ drainMs: 0 }));
        const known = (await store.runs()).find(({ seq }) => seq > 0);
        const { result } =
          known === undefined ? agent.run({ skill: 'top' }) : agent.runs.resume(known.id, { takeOver: true });
        return result;
      },
    },
    ({ outcome, lives }) => {
      const value = ['box.get 1', 'box.put "box.get 1"', 'box.get 2'];
      assert.deepEqual([outcome.status, outcome.value], ['done', value], codeOf(outcome));
      assert.equal(new Set(acts).size, 3, 'each call has one key, however often it is tried');
      assert.ok(acts.length <= 3 + 2 * (lives - 1) && listings <= lives);
    },
  );
  assert.ok(crashes > 10, String(crashes));
});
