import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../../core/json.ts';
import type { Skill } from '../../core/skill.ts';
import { createScriptedModel } from '../../models/scripted.ts';
import { createTestScope } from '../../testing/test-scope.ts';
import { hostFunctions } from './host-functions.ts';

const base = createTestScope().skill;
const skill = (name: string, card: Partial<Skill['card']> = {}): Skill => ({
  ...base,
  name,
  card: { description: name, ...card },
});

describe('scope.call in the code of a skill', () => {
  const called: Json[] = [];
  const notes: string[] = [];
  const { call } = hostFunctions(
    createTestScope({
      callable: [
        skill('other'),
        skill('deploy', { modelInvocable: false }),
        skill('inner', { listed: false }),
      ],
      call: (name, input) => {
        called.push([name, input]);
        return { status: 'done', text: 'yes', value: 7 };
      },
      note: (message) => notes.push(message),
    }),
  );

  test('gives the output of the skill', async () => {
    assert.deepEqual(await call(['other', { a: 1 }]), { status: 'done', text: 'yes', value: 7 });
    await call(['other']);
    assert.deepEqual(called, [
      ['other', { a: 1 }],
      ['other', null],
    ]);
  });

  for (const name of ['deploy', 'inner']) {
    test(`is refused for what only people call, and somebody can see that: ${name}`, async () => {
      const before = called.length;
      const output = (await call([name, null])) as { status: string; error: { code: string } };
      assert.deepEqual([output.status, output.error.code], ['failed', 'policy.denied']);
      assert.equal(called.length, before);
      assert.match(notes.at(-1) ?? '', new RegExp(`may not call "${name}"`));
    });
  }

  test('needs a name', async () => {
    for (const given of [[], [7], [null, 'x']])
      await assert.rejects(call(given), { code: 'usage.bad-input' });
  });
});

describe('scope.model in the code of a skill', () => {
  test('gives the text of the model for execution, without its thinking', async () => {
    const execution = createScriptedModel(['<think>Hm.</think>Four.']);
    const { model } = hostFunctions(createTestScope({ models: { execution } }));
    assert.equal(await model(['Two and two?', { system: 'Be brief.' }]), 'Four.');
    assert.equal(execution.requests[0]?.system, 'Be brief.');
    assert.deepEqual(execution.requests[0].messages, [{ role: 'user', text: 'Two and two?' }]);
  });

  test('gives a value that fits a schema, from the tier that is named', async () => {
    const fast = createScriptedModel(['no', '{"sum": 4}']);
    const { model } = hostFunctions(createTestScope({ models: { fast } }));
    const schema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
    assert.deepEqual(await model(['Two and two?', { tier: 'fast', schema }]), { sum: 4 });
  });

  test('rejects with the failure of the model', async () => {
    const { model } = hostFunctions(createTestScope());
    await assert.rejects(model(['Hello?']), { code: 'model.unavailable' });
  });

  test('needs a prompt and options of their kinds', async () => {
    const { model } = hostFunctions(createTestScope());
    const wrong: Json[][] = [[], [''], [{}], ['x', 7], ['x', { tier: 7 }], ['x', { schema: 'no' }]];
    for (const given of wrong) await assert.rejects(model(given), { code: 'usage.bad-input' });
  });
});

test('scope.note in the code of a skill leaves a line', async () => {
  const notes: unknown[] = [];
  const { note } = hostFunctions(createTestScope({ note: (...said) => notes.push(said) }));
  await note(['half way', { done: 1 }]);
  assert.deepEqual(notes, [['half way', { done: 1 }]]);
  await assert.rejects(note([{}]), { code: 'usage.bad-input' });
});
