import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  agentWith,
  codeOf,
  done,
  flowFamily,
  flowText,
  ofType,
  said,
  settled,
} from '../../../test/support/kernel.ts';
import { tree } from '../../../test/support/tree.ts';
import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import type { Json } from '../../core/json.ts';
import type { Decision, Policy } from '../../core/policy.ts';
import type { RunResult } from '../../core/run.ts';
import type { Store } from '../../core/store.ts';
import { builtinFamilies } from '../../families/index.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { answerSpace } from './answers.ts';

const plain: Decision = { decision: 'ask', reason: 'It acts in a sandbox.', rule: 'Act(x)' };
const unsandboxed: Decision = { ...plain, reason: 'It acts without a sandbox.', each: true };
const allowed: Decision = { decision: 'allow' };

/** Creates an agent whose skill `top` calls `act` under these keys, with this policy decision for `act`. */
function agentOn(
  store: Store,
  about: () => Decision,
  keys: readonly string[] = ['k'],
): RecursiveSkilledAgent {
  const policy: Policy = { decide: ({ skill }) => (skill === 'act' ? about() : allowed) };
  return agentWith(
    {
      act: { allowedSkills: [], run: () => done('acted') },
      top: async (_input, scope) => {
        const results: string[] = [];
        for (const key of keys) results.push(said(await scope.call('act', 1, { key })));
        return done(results.join(' '));
      },
    },
    { store, policy },
  );
}

function resumed(agent: RecursiveSkilledAgent, runId: string): Promise<RunResult> {
  return settled(agent.runs.resume(runId).result);
}

describe('an answer to one question', () => {
  test('is none to another one about the same call, as when the sandbox is gone', async () => {
    const store = createMemoryStore();
    let said = plain;
    await using agent = agentOn(store, () => said);
    const { runId, question } = await settled(agent.run({ skill: 'top' }).result);
    await agent.runs.approve(runId, question?.id ?? '', { allow: 'once' });
    said = unsandboxed;
    const again = await resumed(agent, runId);
    assert.equal(again.status, 'waiting');
    assert.equal(again.question?.asks?.each, true);
    await agent.runs.approve(runId, again.question.id, { allow: 'once' });
    assert.equal((await resumed(agent, runId)).text, 'acted');
  });

  test('is none to that of another call whose key looks like its second time', async () => {
    const store = createMemoryStore();
    let said = plain;
    await using agent = agentOn(store, () => said, ['k', 'k:2']);
    const { runId } = await settled(agent.run({ skill: 'top' }).result);
    said = unsandboxed;
    for (const call of ['k', 'k:2']) {
      const { status, question } = await resumed(agent, runId);
      assert.equal(status, 'waiting', call);
      await agent.runs.approve(runId, question?.id ?? '', { allow: 'once' });
    }
    assert.equal((await resumed(agent, runId)).text, 'acted acted');
  });

  test('which the policy settled meanwhile is not kept for a question that is asked later', async () => {
    const store = createMemoryStore();
    const append: Store['append'] = async (...given) => {
      if (given[2].some((event) => event.type === 'frame.started' && event.skill === 'act'))
        throw new Error('no connection');
      return store.append(...given);
    };
    await using asking = agentOn(store, () => plain);
    await using breaking = agentOn({ ...store, append }, () => allowed);
    const { runId, question } = await settled(asking.run({ skill: 'top' }).result);
    await asking.runs.approve(runId, question?.id ?? '', { allow: 'once' });
    assert.equal((await resumed(breaking, runId)).error?.message, 'no connection');
    const again = await settled(asking.runs.resume(runId, { takeOver: true }).result);
    assert.deepEqual([again.status, again.question?.kind], ['waiting', 'approval']);
  });

  test('for the run, to a question that is asked every time, does not approve one that is not', async () => {
    const store = createMemoryStore();
    let said = unsandboxed;
    await using agent = agentOn(store, () => said, ['a', 'b']);
    const { runId, question } = await settled(agent.run({ skill: 'top' }).result);
    await agent.runs.approve(runId, question?.id ?? '', { allow: 'run' });
    await resumed(agent, runId);
    said = plain;
    assert.equal((await resumed(agent, runId)).status, 'waiting');
  });

  test('counts where the rule holds a secret, which no one is shown', async () => {
    const policy: Policy = {
      decide: ({ skill }) => (skill === 'act' ? { ...plain, rule: 'Act(hunter2-hunter2)' } : allowed),
    };
    await using agent = agentWith({ act: () => done('acted') }, { policy, secrets: ['hunter2-hunter2'] });
    const { runId, question } = await settled(agent.run({ skill: 'act' }).result);
    assert.doesNotMatch(question?.asks?.rule ?? 'hunter2', /hunter2/);
    await agent.runs.approve(runId, question?.id ?? '', { allow: 'once' });
    assert.equal((await resumed(agent, runId)).text, 'acted');
  });

  test('that is not a decision allows nothing, however it came into the store', async () => {
    for (const answer of [{}, { allow: 'yes' }, [], 'yes', null, true] as Json[]) {
      const store = createMemoryStore();
      await using agent = agentOn(store, () => plain);
      const { runId, question } = await settled(agent.run({ skill: 'top' }).result);
      await store.add(answerSpace(runId), question?.id ?? '', answer, 60_000);
      const { text, error } = await resumed(agent, runId);
      assert.equal(error === undefined ? text : codeOf({ error }), 'policy.denied', JSON.stringify(answer));
    }
  });
});

describe('a rule that asks', () => {
  const family = flowFamily({
    execute: () => Promise.resolve(done('ran')),
    permission: { runsCode: () => true },
  });

  test('is heard also about files that a person trusts for this once or this run', async () => {
    using files = tree({ '.agents/skills/deploy/FLOW.md': flowText('deploy', 'Deploys.') });
    const options = { startDir: files.path, searchUpwards: false, families: [...builtinFamilies, family] };
    for (const allow of ['once', 'run', 'version'] as const) {
      await using agent = agentWith({}, { ...options, permissions: { ask: ['Skill(deploy)'] } });
      const trust = await settled(agent.run({ skill: 'deploy' }).result);
      assert.match(trust.question?.asks?.rule ?? '', /^Trust\(/);
      await agent.runs.approve(trust.runId, trust.question?.id ?? '', { allow });
      const asked = await resumed(agent, trust.runId);
      assert.equal(asked.question?.asks?.rule, 'Skill(deploy)', allow);
      await agent.runs.approve(trust.runId, asked.question.id, { allow: 'once' });
      assert.equal((await resumed(agent, trust.runId)).text, 'ran');
      assert.equal(ofType(await agent.runs.events(trust.runId), 'approval.requested').length, 2);
    }
  });
});
