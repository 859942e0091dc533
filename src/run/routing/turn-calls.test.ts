import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentWith, done } from '../../../test/support/kernel.ts';
import type { Json } from '../../core/json.ts';
import { callsIn } from './turn-calls.ts';

/** Returns the text by which later turns see a call with this result. */
async function shown(text: string, value: Json, isComplete?: () => boolean): Promise<string | undefined> {
  await using agent = agentWith({
    orders: () => done(text, value),
    shop: {
      run: async (_input, scope) => done((await scope.call('orders', 'open')).text),
      allowedSkills: ['orders'],
    },
  });
  const { runId } = await agent.run({ skill: 'shop' }).result;
  return callsIn(await agent.runs.events(runId), isComplete).find(({ role }) => role === 'tool')?.text;
}

test('later turns see the value of a call that a program made, beside its text', async () => {
  assert.equal(await shown('Two orders.', [7, 8]), 'Two orders.\n\nValue: [7,8]');
  assert.equal(await shown('Orders: [7,8]', [7, 8]), 'Orders: [7,8]');
  assert.equal(await shown('', [7, 8]), '[7,8]');
  assert.equal(await shown('There are 2.', 2), 'There are 2.');
});

test('later turns do not see the value of a call whose text includes all of it', async () => {
  assert.equal(await shown('7 and 8', [7, 8], () => true), '7 and 8');
});
