import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../../src/core/json.ts';
import { createScriptedModel } from '../../src/models/scripted.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { agentWith, codeOf, done, textOf, type Run } from '../support/kernel.ts';
import { call, leaf, userTexts } from '../support/loop-stage.ts';
import { orchestratorStage } from '../support/orchestrator-stage.ts';

const keep: Run = async (input, { context: { sessionMemory } }) => {
  const known = [...(await sessionMemory.entries())].map(([key, value]) => `${key}=${textOf(value)}`);
  sessionMemory.set(textOf(input), 'kept');
  return done(
    `${(await sessionMemory.has(textOf(input))) ? 'has' : 'lacks'} ${known.sort().join(' ')}`.trim(),
  );
};

describe('agent.sessionMemory', () => {
  test('is the map of the default session, with the methods of a Map', async () => {
    await using agent = agentWith({ keep });
    const { sessionMemory } = agent;
    assert.deepEqual([await sessionMemory.has('k'), await sessionMemory.get('k')], [false, undefined]);
    await sessionMemory.set('k', { a: 1 });
    await agent.executePrompt('one', { skillName: 'keep' });
    assert.deepEqual(Object.fromEntries(await sessionMemory.entries()), { k: { a: 1 }, 'keep/one': 'kept' });
    assert.deepEqual([await sessionMemory.has('k'), await sessionMemory.get('k')], [true, { a: 1 }]);
    assert.equal(await agent.getSessionMemory().get('keep/one'), 'kept');
    assert.deepEqual([await sessionMemory.delete('k'), await sessionMemory.delete('k')], [true, false]);
    assert.equal(await sessionMemory.has('k'), false);
    assert.equal((await agent.getSessionMemory('other').entries()).size, 0);
  });

  test('may be given to a prompt, as may any map whose methods return promises', async () => {
    await using agent = agentWith({ keep });
    const values = new Map<string, Json>([
      ['keep/zero', 'kept'],
      ['else/one', 'theirs'],
    ]);
    const slow = {
      get: async (key: string) => values.get(key),
      set: async (key: string, value: Json) => void values.set(key, value),
      delete: async (key: string) => values.delete(key),
      entries: async () => values.entries(),
    };
    const context = { sessionId: 'ann', sessionMemory: slow };
    assert.equal((await agent.executePrompt('one', { skillName: 'keep', context })).text, 'has zero=kept');
    assert.equal(values.get('keep/one'), 'kept');
    const mine = { sessionId: 'ben', sessionMemory: agent.sessionMemory };
    await agent.executePrompt('two', { skillName: 'keep', context: mine });
    assert.equal(await agent.sessionMemory.get('keep/two'), 'kept');
    const none = { sessionId: 'cem', sessionMemory: {} as never };
    assert.equal(
      codeOf(await agent.executePrompt('x', { skillName: 'keep', context: none })),
      'usage.bad-input',
    );
  });

  test('keeps a failed write of the caller from passing for success', async () => {
    await using agent = agentWith({ keep });
    const sessionMemory = {
      get: () => undefined,
      set: () => Promise.reject(new Error('no disk')),
      delete: () => undefined,
    };
    const { ok } = await agent.executePrompt('one', { skillName: 'keep', sessionMemory });
    assert.equal(ok, false);
  });
});

describe('context.sessionMemory of the caller', () => {
  test('makes no session, and keeps what is said out of the conversation of another', async () => {
    const store = createMemoryStore();
    await using agent = agentWith({ keep }, { store });
    const mine = { sessionId: 'ann', sessionMemory: new Map<string, Json>(), user: { id: 'ann' } };
    await agent.executePrompt('one', { skillName: 'keep', context: mine });
    assert.deepEqual([await agent.getActiveSessions(), await agent.hasSession('ann')], [[], false]);
    for (const space of ['memory/ann', 'turns/ann'])
      assert.equal((await store.entries(space)).size, 0, space);
    await agent.executePrompt('x', { skillName: 'keep', context: { sessionId: 'ben', user: { id: 'ben' } } });
    const stolen = { ...mine, sessionId: 'ben' };
    assert.equal(
      codeOf(await agent.executePrompt('x', { skillName: 'keep', context: stolen })),
      'policy.denied',
    );
  });

  test('leaves a question that only its own user answers', async () => {
    const book = leaf(async (_input, scope) => done(textOf(await scope.ask('Which day?'))));
    await using agent = agentWith({ book });
    const of = (id: string) => ({ sessionId: 's', user: { id }, sessionMemory: new Map<string, Json>() });
    const asked = await agent.executePrompt('x', { skillName: 'book', context: of('ann') });
    assert.equal(asked.status, 'waiting');
    const other = await agent.executePrompt('Monday', { context: of('bob') });
    assert.notEqual(other.runId, asked.runId);
    assert.equal((await agent.executePrompt('Friday', { context: of('ann') })).text, 'Friday');
  });
});

describe('context.io of a skill', () => {
  const speak: Run = async (_input, { context: { io } }) => {
    io?.outputWriter?.('One moment.');
    const answer = await io?.inputReader?.('Which day?');
    return done(answer === undefined ? 'absent' : textOf(answer));
  };

  test('has the reader and the writer of the agent or the prompt, and is recorded', async () => {
    const lines: string[] = [];
    const io = { inputReader: async () => 'Monday', outputWriter: (line: string) => void lines.push(line) };
    await using agent = agentWith({ speak }, { io });
    const { text, runId } = await agent.executePrompt('x', { skillName: 'speak' });
    assert.deepEqual([text, lines], ['Monday', ['One moment.']]);
    const types = (await agent.runs.events(runId)).map(({ type }) => type);
    assert.ok(types.includes('input.requested') && types.includes('note.added'));
    const context = { io: { inputReader: async () => 'Friday' } };
    assert.equal((await agent.executePrompt('x', { skillName: 'speak', context })).text, 'Friday');
    assert.equal(lines.length, 1, 'the prompt has no writer');
  });

  test('is absent where nothing is configured', async () => {
    await using agent = agentWith({ speak });
    assert.equal((await agent.executePrompt('x', { skillName: 'speak' })).text, 'absent');
  });
});

describe('the summary in session memory', () => {
  const desk = { Session: 'loop', 'Allowed Skills': '- recall' };
  const recall = leaf(async (_input, { memory }) =>
    done(`${textOf((await memory.get('summary')) ?? 'none')}, ${(await memory.entries()).size}`),
  );
  const turn = (more: object = {}) => ({ skillName: 'desk', context: { sessionId: 'ann', ...more } });

  test('is there for the host and for skills, and goes with the rest', async () => {
    const models = {
      plan: createScriptedModel(['A lamp.', { calls: [call('recall')] }, 'Yes.', 'Hello.']),
      summary: createScriptedModel(['Ann has a lamp.', 'Ann asked twice.', 'Ann came back.']),
    };
    await using on = orchestratorStage({ desk }, [], { enableSummary: true, models, skills: { recall } });
    const { agent } = on;
    await agent.executePrompt('Find a lamp.', turn());
    assert.equal(await agent.getSessionMemory('ann').get('summary'), 'Ann has a lamp.');
    const { runId } = await agent.executePrompt('Do I have one?', turn());
    const events = JSON.stringify(await agent.runs.events(runId));
    assert.ok(events.includes('Ann has a lamp., 1'), 'the skill reads the summary');
    await agent.clearSessionMemory('ann');
    assert.equal(await agent.getSessionMemory('ann').has('summary'), false);
    await agent.executePrompt('Hi.', turn());
    assert.ok(!userTexts(models.plan.requests.at(-1)).join().includes('Ann asked twice'));
  });

  test("is kept in the caller's own map", async () => {
    const models = {
      plan: createScriptedModel(['A lamp.', 'Yes.']),
      summary: createScriptedModel(['Ann has a lamp.', 'Ann asked twice.']),
    };
    await using on = orchestratorStage({ desk }, [], { enableSummary: true, models, skills: { recall } });
    const sessionMemory = new Map<string, Json>();
    await on.agent.executePrompt('Find a lamp.', turn({ sessionMemory }));
    assert.equal(sessionMemory.get('summary'), 'Ann has a lamp.');
    await on.agent.executePrompt('Do I have one?', turn({ sessionMemory }));
    assert.ok(userTexts(models.plan.requests[1]).join().includes('Ann has a lamp.'));
    assert.equal(await on.agent.getSessionMemory('ann').has('summary'), false);
  });

  test('has nothing of a turn that failed', async () => {
    const summary = createScriptedModel(['Ann came.']);
    const plan = createScriptedModel([]);
    const fails = leaf(() => Promise.reject(new Error('no')));
    await using on = orchestratorStage({ desk }, [], {
      enableSummary: true,
      models: { plan, summary },
      skills: { fails },
    });
    const context = { sessionId: 'ann' };
    assert.equal((await on.agent.executePrompt('x', { skillName: 'fails', context })).ok, false);
    assert.deepEqual(
      [summary.requests.length, await on.agent.getSessionMemory('ann').has('summary')],
      [0, false],
    );
  });
});
