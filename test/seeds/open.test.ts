import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../src/core/json.ts';
import { createScriptedModel } from '../../src/models/scripted.ts';
import { agentWith, done, ofType, textOf } from '../support/kernel.ts';
import { call, leaf, userTexts } from '../support/loop-stage.ts';
import { touchedByMaking } from '../support/touched-by-making.ts';
import { orchestratorStage } from '../support/orchestrator-stage.ts';
import { skillText, tree } from '../support/tree.ts';

const loop = { Session: 'loop' };

test('making an agent touches no file but the manifest of the package', async () => {
  using folder = tree({ 'skills/first/SKILL.md': skillText('first') });
  const { whenMade } = await touchedByMaking({ startDir: folder.path }, 'first');
  assert.deepEqual(
    whenMade.filter((line) => !line.endsWith('package.json')),
    [],
  );
});

test('hidden skills of the package are hidden whether they are code or text', async () => {
  await using on = orchestratorStage({}, ['No.', 'No.'], { exposeInternalSkills: false });
  const { runId } = await on.agent.executePrompt('Find out why a skill is missing, and validate its descriptor.');
  const ranked = ofType(await on.agent.runs.events(runId), 'candidates.ranked');
  const named = ranked.flatMap(({ candidates }) => candidates.map(({ skill }) => skill));
  assert.ok(!named.includes('using-skilled'), named.join());
  assert.ok(!JSON.stringify(on.model.requests[0]?.tools ?? []).includes('using-skilled'));
});

test('a follow-up finds what was found last, although the conversation before it is long', async () => {
  const orchestrators = {
    front: { ...loop, 'Allowed Skills': '- orders\n- shop' },
    shop: { ...loop, 'Allowed Skills': '' },
  };
  const script = [
    { calls: [call('orders')] },
    { calls: [call('shop', { input: 'And the second one?' })] },
    'The bell costs 5.',
    'It costs 5.',
  ];
  await using on = orchestratorStage(orchestrators, script, {
    skills: { orders: leaf(() => done('1. lamp, 2. bell')) },
  });
  await on.agent.executePrompt(`${'word '.repeat(1_700)}Which orders are open?`, { skillName: 'front' });
  const [asked = ''] = userTexts(on.model.requests[2]);
  assert.match(asked, /Which orders are open\?/);
  assert.match(asked, /1\. lamp, 2\. bell/);
});

test('the summary stands in front of the next request whatever kind of skill answers it', async () => {
  const execution = createScriptedModel(['A lamp.', 'A bell.']);
  const summary = createScriptedModel(['Ann asked for a lamp.', 'And a bell.']);
  await using on = orchestratorStage({}, [], {
    files: { '.agents/skills/guide/SKILL.md': skillText('guide') },
    enableSummary: true,
    models: { execution, summary },
  });
  const turn = { skillName: 'guide', context: { sessionId: 'ann' } };
  await on.agent.executePrompt('Find a lamp.', turn);
  await on.agent.executePrompt('And the second one?', turn);
  assert.match(userTexts(execution.requests[1]).join('\n'), /Ann asked for a lamp\./);
});

test('memory that the caller gives is that of the run also after a question was answered', async () => {
  const book = leaf<Json>(async (_input, scope) => {
    const day = textOf(await scope.ask('Which day?'));
    scope.memory.set('day', day);
    return done(day);
  });
  await using agent = agentWith({ book });
  const context = { sessionId: 'ann', sessionMemory: new Map<string, Json>() };
  await agent.executePrompt('x', { skillName: 'book', context });
  await agent.executePrompt('Monday', { context });
  assert.deepEqual([...context.sessionMemory.values()], ['Monday']);
  assert.deepEqual((await agent.getSessionMemory('ann').entries()).size, 0);
});

test('a user without a session of its own does not answer the question of another such user', async () => {
  const booked: string[] = [];
  const book = leaf(async (_input, scope) => {
    booked.push(textOf(await scope.ask('Which day?')));
    return done();
  });
  await using agent = agentWith({ book });
  await agent.executePrompt('x', { skillName: 'book', context: { user: { id: 'u5' } } });
  await agent.executePrompt('Sunday', { context: { user: { id: 'u6' } } });
  assert.deepEqual(booked, []);
});
