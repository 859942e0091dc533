import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createScriptedModel } from '../../src/models/scripted.ts';
import { agentWith, done, ofType, textOf } from '../support/kernel.ts';
import { call, leaf, userTexts } from '../support/loop-stage.ts';
import { touchedByMaking } from '../support/touched-by-making.ts';
import { orchestratorStage } from '../support/orchestrator-stage.ts';
import { skillText, tree } from '../support/tree.ts';

test('making an agent touches no file but the manifest of the package', async () => {
  using folder = tree({ 'skills/first/SKILL.md': skillText('first') });
  const { whenCreated } = await touchedByMaking({ startDir: folder.path }, 'first');
  assert.deepEqual(
    whenCreated.filter((line) => !line.endsWith('package.json')),
    [],
  );
});

test('hidden skills of the package are hidden whether they are code or text', async () => {
  await using on = orchestratorStage({}, ['No.', 'No.'], { exposeInternalSkills: false });
  const { runId } = await on.agent.executePrompt(
    'Find out why a skill is missing, and validate its descriptor.',
  );
  const ranked = ofType(await on.agent.runs.events(runId), 'candidates.ranked');
  const named = ranked.flatMap(({ candidates }) => candidates.map(({ skill }) => skill));
  assert.ok(!named.includes('using-skilled'), named.join());
  assert.ok(!JSON.stringify(on.model.requests[0]?.tools ?? []).includes('using-skilled'));
});

test('the summary precedes the next request whatever kind of skill answers it', async () => {
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

test('a prompt that is carried out by a skill made for it can be answered when it asks', async () => {
  const ask = leaf(async (_input, scope) => done(textOf(await scope.ask('Which day?'))));
  await using on = orchestratorStage({}, [{ calls: [call('ask')] }, 'Booked.'], { skills: { ask } });
  const context = { sessionId: 'ann' };
  const first = await on.agent.executePrompt('Hum a melody in the key of blue.', { context });
  assert.equal(first.status, 'waiting');
  const second = await on.agent.executePrompt('Monday', { context });
  assert.deepEqual([second.runId, second.text], [first.runId, 'Booked.']);
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
