import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, codeOf, done, ofType, settled, textOf, type Run } from '../../../test/support/kernel.ts';
import { BareAgent } from '../../agent/recursive-skilled-agent.ts';
import { defaultPorts } from '../../config/defaults.ts';
import { defineSkill } from '../../core/define-skill.ts';
import type { Json } from '../../core/json.ts';
import { collect, type Model, type ModelReply } from '../../core/model.ts';
import type { Decision } from '../../core/policy.ts';
import type { Store } from '../../core/store.ts';
import { createScriptedModel } from '../../models/scripted.ts';
import { createMemoryStore } from '../../stores/memory.ts';

describe('a run that another version of the program recorded', () => {
  /** Creates an agent that asks a model twice with this prompt, and a person in between. */
  const asking = (prompt: string, store: Store, model: Model, version: string, isNamed = true): BareAgent => {
    const top: Run = async (_input, scope) => {
      const ask = (name: string): Promise<ModelReply> =>
        collect(
          scope
            .model('fast')
            .stream(
              { messages: [{ role: 'user', text: `${prompt} ${name}` }], ...(isNamed ? { key: name } : {}) },
              scope.signal,
            ),
        );
      const { text: one } = await ask('one');
      const answer = textOf(await scope.ask('Which?'));
      const { text: two } = await ask('two');
      return done([one, answer, two].join(' '));
    };
    const agent = new BareAgent(
      { store, models: model, embeddings: false },
      { ...defaultPorts({}), version },
    );
    agent.skills.register(defineSkill({ name: 'top', description: 'Top.', run: top }));
    return agent;
  };

  for (const isNamed of [true, false])
    test(`continues in other words: ${isNamed ? 'named' : 'unnamed'} model steps stay what they were`, async () => {
      const store = createMemoryStore();
      const model = createScriptedModel(['first', 'second']);
      const before = asking('Old', store, model, '1.0.0', isNamed);
      const { runId } = await before.run({ skill: 'top' }).result;
      await before.shutdown();
      await using after = asking('New', store, model, '1.1.0', isNamed);
      await after.runs.answer(runId, 'left');
      const result = await settled(after.runs.resume(runId).result);
      assert.equal(result.text, 'first left second');
      const events = await after.runs.events(runId);
      assert.equal(ofType(events, 'model.started').length, 2);
      assert.equal(ofType(events, 'input.requested').length, 1);
      assert.deepEqual(
        [ofType(events, 'run.started')[0]?.version, ofType(events, 'run.resumed')[0]?.version],
        ['1.0.0', '1.1.0'],
      );
      const added = ofType(events, 'model.started').map(({ kept, added }) => [kept, added.length]);
      assert.deepEqual(added, [
        [0, 1],
        [0, 1],
      ]);
    });

  test('reuses an ended model step by its key within one version too, but not another step', async () => {
    let prompt = 'Old';
    await using agent = agentWith(
      {
        top: async (_input, scope) => {
          const request = { messages: [{ role: 'user', text: prompt } as const], key: 'one' };
          const { text } = await collect(scope.model('fast').stream(request, scope.signal));
          await scope.ask('Which?');
          return done(`${text} ${await scope.step('s', () => prompt, prompt)}`);
        },
        other: async (_input, scope) => {
          await scope.step('s', () => 1, prompt);
          return done(textOf(await scope.ask('Which?')));
        },
      },
      { models: createScriptedModel(['answer']) },
    );
    const { runId } = await agent.run({ skill: 'top' }).result;
    const other = await agent.run({ skill: 'other' }).result;
    prompt = 'New';
    await agent.runs.answer(runId, 'left');
    assert.equal((await settled(agent.runs.resume(runId).result)).text, 'answer New');
    await agent.runs.answer(other.runId, 'left');
    assert.equal(codeOf(await settled(agent.runs.resume(other.runId).result)), 'internal.diverged');
  });

  test('asks again about a call whose input is another one than the one that was approved', async () => {
    const store = createMemoryStore();
    const acted: Json[] = [];
    const policy = { decide: ({ skill }: { readonly skill: string }) => decisionOn(skill) };
    const open = (input: string, version: string): BareAgent => {
      const agent = new BareAgent({ store, policy, embeddings: false }, { ...defaultPorts({}), version });
      agent.skills.register(
        defineSkill({
          name: 'top',
          description: 'Top.',
          run: async (_input, scope) => scope.call('act', input, { key: 'k' }),
        }),
      );
      agent.skills.register(
        defineSkill({
          name: 'act',
          description: 'Acts.',
          run: (given) => {
            acted.push(given);
            return done('acted');
          },
        }),
      );
      return agent;
    };
    const before = open('seen', '1.0.0');
    const { runId, question } = await before.run({ skill: 'top' }).result;
    await before.shutdown();
    await using after = open('never seen', '1.1.0');
    await after.runs.approve(runId, question?.id ?? '', { allow: 'once' });
    const result = await settled(after.runs.resume(runId).result);
    assert.deepEqual([result.status, acted], ['waiting', []]);
    await after.runs.approve(runId, result.question?.id ?? '', { allow: 'once' });
    assert.equal((await settled(after.runs.resume(runId).result)).text, 'acted');
    assert.deepEqual(acted, ['never seen']);
  });
});

function decisionOn(skill: string): Decision {
  return skill === 'act' ? { decision: 'ask', reason: 'It acts.', rule: 'Act' } : { decision: 'allow' };
}
