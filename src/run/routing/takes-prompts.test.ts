import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentWith, done, ofType } from '../../../test/support/kernel.ts';
import { explainRun } from '../../views/index.ts';
import { closeTo, isSmallTalk } from './candidates.ts';

test('"hello there" runs no skill that is called hello', async () => {
  await using agent = agentWith({
    hello: { description: 'Greets a person by name.', run: () => done('Hi!') },
  });
  for (const prompt of ['hello there', 'Hello!', 'thanks a lot', 'good morning']) {
    const result = await agent.executePrompt(prompt);
    assert.equal(result.status === 'failed' && result.error?.code, 'skill.not-found', prompt);
  }
  assert.equal((await agent.executePrompt('/hello there')).text, 'Hi!');
  assert.equal((await agent.executePrompt('greet the person called Anna by name')).text, 'Hi!');
});

test('greetings and thanks are small talk, requests are not', () => {
  for (const prompt of [
    'hi',
    'Hello there!',
    'thank you so much',
    'ok, thanks',
    'hey, how are you?',
    'good night 👋',
  ])
    assert.ok(isSmallTalk(prompt), prompt);
  for (const prompt of [
    '',
    '...',
    'is it well',
    'hello world program',
    'good morning report',
    'thanks, now sort the list',
  ])
    assert.ok(!isSmallTalk(prompt), prompt);
});

test('"explain TypeScript generics" does not run using-skilled', async () => {
  await using agent = agentWith({ bake: { description: 'Bakes bread.', run: () => done('baked') } });
  assert.ok(agent.skills.get('using-skilled') !== undefined);
  const result = await agent.executePrompt('explain TypeScript generics');
  assert.equal(result.status === 'failed' && result.error?.code, 'skill.not-found');
  const [ranked] = ofType(await agent.runs.events(result.runId), 'candidates.ranked').filter(
    ({ among }) => among === 'workers',
  );
  assert.ok(ranked?.candidates.every(({ skill }) => skill !== 'using-skilled'));
});

test('a skill whose description is still a template takes no prompt, but can be called by name', async () => {
  const description = 'Describe what this skill does and when to use it.';
  await using agent = agentWith({ fresh: { description, run: () => done('ran') } });
  const prompt = 'describe what this fresh skill does and when to use it';
  const result = await agent.executePrompt(prompt);
  assert.equal(result.status === 'failed' && result.error?.code, 'skill.not-found');
  assert.equal((await agent.executePrompt(`/fresh ${prompt}`)).text, 'ran');
});

test('a choice is recorded with its score, its lead over the next best and the words that decided', async () => {
  await using agent = agentWith({
    bake: { description: 'Bakes sourdough bread.', run: () => done('baked') },
    slice: { description: 'Slices bread and cheese.', run: () => done('sliced') },
  });
  const { runId } = await agent.executePrompt('bake a loaf of sourdough bread');
  const events = await agent.runs.events(runId);
  const [{ skill, evidence } = { skill: '', evidence: undefined }] = ofType(events, 'skill.selected');
  assert.equal(skill, 'bake');
  assert.equal(evidence?.next, 'slice');
  assert.ok(evidence.words.includes('sourdough'));
  assert.ok(evidence.margin > 0 && evidence.margin <= evidence.score);
  const why = explainRun(events).find(({ kind }) => kind === 'skill-selected')?.text ?? '';
  assert.match(why, /Score [01]\.\d\d, [01]\.\d\d ahead of "slice", by .*sourdough/);
  const named = await agent.executePrompt('/bake it');
  const [byName] = ofType(await agent.runs.events(named.runId), 'skill.selected');
  assert.equal(byName?.evidence, undefined);
});

test('a model chooses among five candidates, unless the first is far ahead of all others', () => {
  const scores = (...values: readonly number[]): readonly { readonly score: number }[] =>
    values.map((score) => ({ score }));
  assert.equal(closeTo(scores(0.9, 0.2, 0.1, 0.1, 0.05, 0.01)).length, 5);
  assert.equal(closeTo(scores(0.9, 0.08)).length, 1);
  assert.equal(closeTo(scores(0.9)).length, 1);
  assert.equal(closeTo([]).length, 0);
});
