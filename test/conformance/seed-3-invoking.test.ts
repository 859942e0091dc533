import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { defineSkill, loadSkill, RecursiveSkilledAgent } from '../../src/index.ts';
import { tree } from '../support/tree.ts';
import { skill, skillFiles } from './skill-text.ts';
import { loading, stage, runSkill, toolNames, toolTexts, userTexts } from './stage.ts';

// Seed 3: the two ways to invoke a skill, and when each is used.

const body = 'Investigate issue $issueNumber, then decide.';
const triage = skill('triage', body, 'when_to_use: When a bug is reported.\narguments: [issueNumber]\n');
const files = skillFiles({ triage, style: skill('style', 'Write short sentences.') });
const fixApplied = z.object({ fixApplied: z.boolean() });

describe('from host code', () => {
  test('by name, with a typed result', async () => {
    await using on = stage(files, [{ calls: [{ name: 'submit', input: { fixApplied: true } }] }]);
    const result = await on.agent
      .session()
      .skill('triage', { args: { issueNumber: 42 }, result: fixApplied });
    const typed: boolean = result.fixApplied;
    assert.equal(typed, true);
    assert.match(userTexts(on.model.requests[0])[0] ?? '', /Investigate issue 42/);
  });

  test('by a definition that no one registered, with another shape', async () => {
    const Triage = defineSkill({
      name: 'triage-in-code',
      description: 'Investigates.',
      instructions: body,
      input: z.object({ issueNumber: z.number() }),
      argumentNames: ['issueNumber'],
    });
    await using on = stage({}, [{ calls: [{ name: 'submit', input: { severity: 'low' } }] }]);
    const result = await on.agent.session().skill(Triage, {
      args: { issueNumber: 42 },
      result: z.object({ severity: z.enum(['low', 'high']) }),
    });
    assert.equal(result.severity, 'low');
    assert.match(userTexts(on.model.requests[0])[0] ?? '', /Investigate issue 42/);
    assert.equal(on.agent.skills.get('triage-in-code'), undefined);
  });

  test('by a skill that was loaded, with typed arguments', async () => {
    using folder = tree({ 'triage/SKILL.md': triage });
    const loaded = await loadSkill(folder.at('triage'), { input: z.object({ issueNumber: z.number() }) });
    await using on = stage({}, ['Done.']);
    assert.equal(await on.agent.session().skill(loaded, { args: { issueNumber: 42 } }), 'Done.');
  });

  test('without a result it is the final text', async () => {
    await using on = stage(files, ['All is well.']);
    const text: string = await on.agent.session().skill('triage', { args: { issueNumber: 42 } });
    assert.equal(text, 'All is well.');
  });

  test('the result is the schema of a tool that is there for this call', async () => {
    await using on = stage(files, [{ calls: [{ name: 'submit', input: { fixApplied: true } }] }]);
    await on.agent.session().skill('triage', { result: fixApplied });
    const tool = on.model.requests[0]?.tools?.find(({ name }) => name === 'submit');
    assert.deepEqual(Object.keys((tool?.input['properties'] ?? {}) as object), ['fixApplied']);
  });

  test('never calling it within maxTicks is an error', async () => {
    await using on = stage(files, () => 'Let me think.');
    await assert.rejects(on.agent.session().skill('triage', { result: fixApplied, maxTicks: 2 }), {
      code: 'skill.no-result',
    });
    assert.equal(on.model.requests.length, 2);
  });
});

describe('from the model', () => {
  test('one tool lists the skills with what they are for', async () => {
    await using on = stage(files, ['Done.']);
    await runSkill(on, { skill: 'desk', input: 'Go.' });
    const { description = '' } = on.model.requests[0]?.tools?.find(({ name }) => name === 'skill') ?? {};
    for (const part of ['triage', 'Does triage.', 'When a bug is reported.', 'style', 'Does style.'])
      assert.ok(description.includes(part), part);
    assert.ok(!toolNames(on.model.requests[0]).includes('triage'));
  });

  test('its text has at most 8000 characters, however many skills there are', async () => {
    const many = Array.from({ length: 300 }, (_, index): [string, string] => [
      `many-${index}`,
      skill(`many-${index}`, 'Do it.', `when_to_use: ${'In many cases. '.repeat(10)}\n`),
    ]);
    await using on = stage(skillFiles(Object.fromEntries(many)), ['Done.']);
    await runSkill(on, { skill: 'desk', input: 'Go.' });
    const { description = '' } = on.model.requests[0]?.tools?.find(({ name }) => name === 'skill') ?? {};
    assert.ok(description.includes('many-'), 'some are listed');
    assert.ok(description.length <= 8_000, `${description.length}`);
  });

  test('its list follows the registry', async () => {
    await using on = stage(files, ['Done.', 'Done.']);
    await runSkill(on, { skill: 'desk', input: 'Go.' });
    on.agent.skills.unregister('style');
    await runSkill(on, { skill: 'desk', input: 'Go on.' });
    const texts = on.model.requests.map(({ tools = [] }) => JSON.stringify(tools));
    assert.deepEqual(
      texts.map((text) => text.includes('Does style.')),
      [true, false],
    );
  });

  test('it gives the rendered body, and the conversation continues', async () => {
    await using on = stage(files, [loading('triage', { issueNumber: 42 }), 'I decided.']);
    const { result, called } = await runSkill(on, { skill: 'desk', input: 'There is a bug.' });
    assert.equal(result.text, 'I decided.');
    assert.match(toolTexts(on.model.requests[1])[0] ?? '', /Investigate issue 42, then decide\./);
    assert.deepEqual(userTexts(on.model.requests[1]).length, userTexts(on.model.requests[0]).length);
    assert.deepEqual(called, ['desk', 'triage']);
    assert.equal(on.model.requests.length, 2, 'the skill asks no model of its own');
  });

  test('an unknown name is reported to the model, with the existing names', async () => {
    await using on = stage(files, [loading('triaje'), 'Done.']);
    await runSkill(on, { skill: 'desk', input: 'Go.' });
    assert.match(toolTexts(on.model.requests[1])[0] ?? '', /triage/);
  });

  test('without skills to load there is no such tool', async () => {
    await using on = stage({}, ['Done.'], { only: true });
    await runSkill(on, { skill: 'desk', input: 'Go.' });
    assert.ok(!toolNames(on.model.requests[0]).includes('skill'));
  });
});

describe('when to use which', () => {
  test('loaded, a skill works in the conversation and beside others', async () => {
    await using on = stage(files, [loading('style'), loading('triage', '42'), 'Done in short sentences.']);
    await runSkill(on, { skill: 'desk', input: 'Go.' });
    const texts = toolTexts(on.model.requests[2]);
    assert.match(texts[0] ?? '', /short sentences/);
    assert.match(texts[1] ?? '', /issue 42/);
  });

  test('called, its steps stay out of the conversation around it', async () => {
    const lookUp = { calls: [{ name: 'glob', input: { pattern: '*' } }] };
    await using on = stage(files, [lookUp, 'A result.', 'Hello.']);
    const session = on.agent.session('ann');
    assert.equal(await session.skill('triage', { args: '42' }), 'A result.');
    await session.skill('desk', { args: 'Hi.' });
    assert.doesNotMatch(JSON.stringify(on.model.requests[2]?.messages), /Investigate|glob/);
  });

  test('one file serves both', async () => {
    await using on = stage(files, [loading('triage', '42'), 'Loaded.', 'Called.']);
    assert.equal((await runSkill(on, { skill: 'desk', input: 'Go.' })).result.text, 'Loaded.');
    assert.equal(await on.agent.session().skill('triage', { args: '42' }), 'Called.');
  });

  test('called from code, no conversation is needed', async () => {
    await using agent = new RecursiveSkilledAgent({ embeddings: false, offline: true });
    await assert.rejects(
      agent.session().skill(defineSkill({ name: 'a', description: 'A.', instructions: 'Do a.' })),
      { code: 'model.unavailable' },
    );
  });
});
