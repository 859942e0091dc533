import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { defineSkill, RecursiveSkilledAgent } from '../../src/index.ts';
import { createScriptedModel } from '../../src/testing/index.ts';
import { skill, skillFiles } from './skill-text.ts';
import { loading, stage, runSkill, toolNames, toolTexts, userTexts } from './stage.ts';

// Agentick's black-box cases for runs (second version), in their order, and its defects 5 to 7, which do not
// occur here.

const fixed = z.object({ fixed: z.boolean() });
const submit = (input: object): object => ({ calls: [{ name: 'submit', input }] });
const files = skillFiles({ triage: skill('triage', 'Look into $issue.', 'arguments: [issue]\n') });

describe('runs', () => {
  test('a valid submit is the value', async () => {
    await using on = stage(files, [submit({ fixed: true })]);
    const value = await on.agent.session().skill('triage', { args: '42', result: fixed });
    assert.deepEqual(value, { fixed: true });
  });

  test('arguments that do not fit are refused before the model is asked', async () => {
    const strictSkill = defineSkill({
      name: 'strict',
      description: 'Takes a number.',
      instructions: 'Look into $issue.',
      input: z.object({ issue: z.number() }),
    });
    await using on = stage({}, [submit({ fixed: true })]);
    const wrong = { issue: 'forty-two' } as unknown as { issue: number };
    await assert.rejects(on.agent.session().skill(strictSkill, { args: wrong, result: fixed }), {
      code: 'usage.bad-input',
    });
    assert.equal(on.model.requests.length, 0);
  });

  // Agentick rejects at once. Here, the model has two turns to repair the result.
  test('a value of the wrong shape is told to the model, and the repaired one counts', async () => {
    await using on = stage(files, [submit({ fixed: 'perhaps' }), submit({ fixed: false })]);
    assert.deepEqual(await on.agent.session().skill('triage', { result: fixed }), { fixed: false });
    assert.match(toolTexts(on.model.requests[1])[0] ?? '', /fixed/);
  });

  test('a value that stays wrong is an error', async () => {
    await using on = stage(files, () => submit({ fixed: 'perhaps' }));
    await assert.rejects(on.agent.session().skill('triage', { result: fixed }), { code: 'model.bad-answer' });
    assert.equal(on.model.requests.length, 3);
  });

  test('no submit within one tick is an error that names skill and budget', async () => {
    await using on = stage(files, () => 'I would rather talk.');
    await assert.rejects(on.agent.session().skill('triage', { result: fixed, maxTicks: 1 }), {
      code: 'skill.no-result',
      message: /triage.*\b1\b/,
    });
    assert.equal(on.model.requests.length, 1);
  });

  test('one skill is asked for two shapes', async () => {
    await using on = stage(files, [submit({ fixed: true }), submit({ severity: 'high' })]);
    const session = on.agent.session();
    const severity = z.object({ severity: z.enum(['low', 'high']) });
    assert.equal((await session.skill('triage', { result: fixed })).fixed, true);
    assert.equal((await session.skill('triage', { result: severity })).severity, 'high');
  });

  test('without a shape the final text is the value', async () => {
    await using on = stage(files, ['It is a small thing.']);
    assert.equal(await on.agent.session().skill('triage', { args: '42' }), 'It is a small thing.');
    assert.ok(!toolNames(on.model.requests[0]).includes('submit'));
  });

  test('a name that does not exist is an error with the nearest one', async () => {
    await using on = stage(files);
    await assert.rejects(on.agent.session().skill('triaje'), { code: 'skill.not-found', hint: /triage/ });
  });

  test('where no skill can be loaded there is no tool for it', async () => {
    await using on = stage({}, ['Done.'], { only: true });
    await runSkill(on, { skill: 'desk', input: 'Go.' });
    assert.ok(!toolNames(on.model.requests[0]).includes('skill'));
  });

  test('the model gets arguments that the body does not use', async () => {
    await using on = stage(skillFiles({ plain: skill('plain') }), ['Done.']);
    await on.agent.session().skill('plain', { args: 'the red one' });
    assert.match(userTexts(on.model.requests[0])[0] ?? '', /^ARGUMENTS: the red one$/m);
  });

  test('the body knows the session', async () => {
    await using on = stage(skillFiles({ plain: skill('plain', 'I am ${SKILLED_SESSION_ID}.') }), ['Done.']);
    await on.agent.session('ann').skill('plain');
    assert.match(userTexts(on.model.requests[0])[0] ?? '', /I am ann\./);
  });
});

describe('second version', () => {
  test('arguments are JSON in what the model is told', async () => {
    await using on = stage(skillFiles({ plain: skill('plain') }), ['Done.']);
    await on.agent.session().skill('plain', { args: { issue: 42 } });
    assert.match(userTexts(on.model.requests[0])[0] ?? '', /\{"issue":42\}/);
  });

  test('without arguments the model is told what the skill says', async () => {
    await using on = stage(skillFiles({ plain: skill('plain', 'Count to three.') }), ['Done.']);
    await on.agent.session().skill('plain');
    assert.match(userTexts(on.model.requests[0])[0] ?? '', /Count to three\./);
    assert.doesNotMatch(userTexts(on.model.requests[0])[0] ?? '', /ARGUMENTS:/);
  });

  test('the list of tools is all that the model has, beside submit', async () => {
    const narrow = skill('narrow', 'Do it.', 'allowed-tools: Read\n');
    await using on = stage(skillFiles({ narrow }), [submit({ fixed: true })]);
    await on.agent.session().skill('narrow', { result: fixed });
    assert.deepEqual(toolNames(on.model.requests[0]).toSorted(), ['read', 'submit']);
  });

  test('a model that fails is what the call throws', async () => {
    const error = { code: 'model.refused', message: 'Not today.' } as const;
    await using on = stage(files, [{ error }]);
    await assert.rejects(on.agent.session().skill('triage'), { code: 'model.refused' });
  });
  // Not ours: an own composer of the conversation, and runs that are not isolated, which is why nothing can lack isolation.
});

describe('defects that do not happen', () => {
  test('5: the conversation of a call joins the one around it', async () => {
    await using on = stage(files, (request) => {
      if (JSON.stringify(request.messages).includes('Look into')) return 'A private thought.';
      return 'Done.';
    });
    const session = on.agent.session('same');
    await session.skill('triage', { args: '42' });
    await session.skill('desk', { args: 'Hello.' });
    assert.doesNotMatch(JSON.stringify(on.model.requests.at(-1)), /private thought|Look into/);
  });

  test('5: a call from inside a tool waits for itself', async () => {
    const model = createScriptedModel((request) => {
      if (userTexts(request)[0]?.includes('Look into') === true) return 'It is small.';
      return toolTexts(request).length === 0 ? { calls: [{ name: 'outer', input: { input: '' } }] } : 'Done.';
    });
    await using on = stage(files, [], { models: model });
    on.agent.skills.register(
      defineSkill({
        name: 'outer',
        description: 'Calls the host.',
        allowedSkills: [],
        async run() {
          const text = await on.agent.session('same').skill('triage', { args: '42' });
          return { status: 'done', text };
        },
      }),
    );
    assert.equal(await on.agent.session('same').skill('desk', { args: 'Go.' }), 'Done.');
    assert.match(toolTexts(model.requests.at(-1))[0] ?? '', /It is small\./);
  });

  for (const [row, tools] of [
    ['patterns with blanks', 'allowed-tools: Bash(git add *), Read\n'],
    ['words behind blanks', 'allowed-tools: Bash(git add *) Read\n'],
    ['a YAML list', 'allowed-tools: ["Bash(git add *)", Read]\n'],
  ] as const) {
    test(`6: ${row} break the list of tools, or it restricts nothing`, async () => {
      const touch = { calls: [{ name: 'bash', input: { command: 'touch PWNED' } }] };
      await using on = stage(skillFiles({ narrow: skill('narrow', 'Do it.', tools) }), [touch, 'Done.']);
      const { commands } = await runSkill(on, { skill: 'narrow' });
      assert.deepEqual(toolNames(on.model.requests[0]).toSorted(), [
        'bash',
        'bash-kill',
        'bash-output',
        'read',
      ]);
      assert.deepEqual(commands, []);
      assert.match(toolTexts(on.model.requests[1])[0] ?? '', /policy\.denied/);
    });
  }

  const typed = skillFiles({
    typed: skill(
      'typed',
      'Do it.',
      'when_to_use: In a storm.\ninput: {type: object, properties: {n: {type: integer}}, required: [n]}\n',
    ),
    hidden: skill('hidden', 'Do it.', 'disable-model-invocation: true\n'),
  });

  test('7: the tool for skills takes any arguments', async () => {
    await using on = stage(typed, [loading('typed', { n: 'x' }), loading('typed', { n: 3 }), 'Done.']);
    await runSkill(on, { skill: 'desk', input: 'Go.' });
    const [wrong, right] = toolTexts(on.model.requests[2]);
    assert.match(wrong ?? '', /usage\.bad-input/);
    assert.match(right ?? '', /ARGUMENTS: \{"n":3\}/);
  });

  test('7: the tool for skills does not say when to use them, and lists what no model may choose', async () => {
    await using on = stage(typed, [loading('hidden'), 'Done.']);
    const { called } = await runSkill(on, { skill: 'desk', input: 'Go.' });
    const { description = '' } = on.model.requests[0]?.tools?.find(({ name }) => name === 'skill') ?? {};
    assert.match(description, /In a storm\./);
    assert.doesNotMatch(description, /hidden/);
    assert.deepEqual(called, ['desk']);
  });

  test('agents without skills on disk can be closed at once', async () => {
    await using agent = new RecursiveSkilledAgent({ embeddings: false });
    assert.equal(agent.session('ann').id, 'ann');
  });
});
