import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, done, hang, ofType, until } from '../../test/support/kernel.ts';
import type { RecursiveSkilledAgent } from '../config/preset.ts';
import type { Policy } from '../core/policy.ts';
import type { Store } from '../core/store.ts';
import { createMemoryStore } from '../stores/memory.ts';

const policy: Policy = {
  decide: ({ skill }) =>
    skill === 'act'
      ? { decision: 'ask', reason: 'It acts.', rule: 'Act', each: true }
      : { decision: 'allow' },
};

function agentOn(store: Store, act: () => Promise<string>): RecursiveSkilledAgent {
  return agentWith(
    {
      act: { allowedSkills: [], run: async () => done(await act()) },
      top: async (_input, scope) => {
        const outputs = [await scope.call('act', 1), await scope.call('act', 2)];
        return done(outputs.map(({ text }) => text).join(' '));
      },
    },
    { store, policy },
  );
}

describe('leave for one execution', () => {
  test('is asked for at every call, also when a person allowed it for the run', async () => {
    await using agent = agentOn(createMemoryStore(), () => Promise.resolve('acted'));
    let result = await agent.run({ skill: 'top' }).result;
    for (let asked = 1; asked <= 2; asked++) {
      assert.equal(result.question?.asks?.each, true, `${asked}`);
      await agent.runs.approve(result.runId, result.question.id, { allow: 'run' });
      result = await agent.runs.resume(result.runId).result;
    }
    assert.equal(result.text, 'acted acted');
  });

  test('is spent when the process that used it died: whoever makes the call again asks again', async () => {
    const store = createMemoryStore();
    let begun = 0;
    const first = agentOn(store, () => {
      begun += 1;
      return hang();
    });
    const asked = await first.run({ skill: 'top' }).result;
    assert.ok(asked.question !== undefined);
    await first.runs.approve(asked.runId, asked.question.id, { allow: 'once' });
    void first.runs.resume(asked.runId).result;
    await until(() => begun === 1);

    await using second = agentOn(store, () => Promise.resolve('acted'));
    const again = await second.runs.resume(asked.runId, { takeOver: true }).result;
    assert.equal(again.status, 'waiting');
    assert.notEqual(again.question?.id, asked.question.id);
    await second.runs.approve(asked.runId, again.question?.id ?? '', { allow: 'once' });
    const next = await second.runs.resume(asked.runId).result;
    assert.equal(next.question?.asks?.input, 2); // the first call was made, and its leave does not count for the second
    const events = await second.runs.events(asked.runId);
    assert.equal(ofType(events, 'approval.requested').length, 3);
    await first.shutdown();
  });
});

test('what a skill always asks about is asked each time, although the policy allows it', async () => {
  const makes = 'It makes a repository.';
  await using agent = agentWith({
    act: {
      allowedSkills: [],
      alwaysAsks: (input: unknown) => (input === 'clone' ? makes : undefined),
      run: async (input) => done(String(input)),
    },
    top: async (_input, scope) => {
      const outputs = [];
      for (const input of ['list', 'clone', 'clone']) outputs.push(await scope.call('act', input));
      return done(outputs.map(({ text }) => text).join(' '));
    },
  });
  let result = await agent.run({ skill: 'top' }).result;
  for (let asked = 1; asked <= 2; asked++) {
    assert.ok(result.question?.asks !== undefined, `${asked}`);
    assert.deepEqual([result.question.asks.each, result.question.asks.reason], [true, makes]);
    await agent.runs.approve(result.runId, result.question.id, { allow: 'once' });
    result = await agent.runs.resume(result.runId).result;
  }
  assert.equal(result.text, 'list clone clone');
});
