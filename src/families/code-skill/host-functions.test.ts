import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { codeSkillStage } from '../../../test/support/code-skill-stage.ts';
import { done, ofType } from '../../../test/support/kernel.ts';
import { defineSkill } from '../../core/define-skill.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { Skill } from '../../core/skill.ts';
import { createScriptedModel, type ScriptedTurn } from '../../models/scripted.ts';
import { createTestScope } from '../../testing/test-scope.ts';
import { hostFunctions } from './host-functions.ts';

describe('host functions', () => {
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
});

describe('narrow scope', () => {
  const schema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
  const code = (body: string): { readonly code: string } => ({
    code: `import type { CodeScope } from 'skilled';\nexport async function action(input: any, scope: CodeScope) {\n${body}\n}`,
  });

  const answers: Readonly<Record<string, ScriptedTurn>> = {
    'Hello?': 'Hi.',
    'Two and two?': '{"sum": 4}',
    'Fail.': { error: { code: 'model.refused', message: 'No.' } },
  };

  const stage = codeSkillStage(
    {
      facts: code(
        'return { runId: scope.runId, session: scope.session, skill: scope.skill, keys: Object.keys(scope).sort() };',
      ),
      asks: code(`scope.note('asking', { who: input });
  const said = await scope.model('Hello?', { system: 'Be brief.' });
  const { sum } = await scope.model('Two and two?', { schema: ${JSON.stringify(schema)} }) as any;
  return { said, sum };`),
      fails: code(`try { await scope.model('Fail.'); } catch (error: any) {
    return { code: error.code, isError: error instanceof Error };
  }`),
      calls: code(`const outputs = [];
  for (const name of input) outputs.push(await scope.call(name, { from: scope.skill }));
  return outputs;`),
      down: code('return input === 0 ? "deep" : (await scope.call("down", input - 1)).value;'),
      together: code('return Promise.all([1, 2, 3].map(async (n) => (await scope.call("down", n)).value));'),
      waits: code(`scope.note('waiting');
  await new Promise((resolve) => scope.signal.addEventListener('abort', resolve));
  return 'never heard';`),
    },
    ({ messages }) => answers[messages[0]?.text ?? ''],
    { limits: { depth: 8 } },
  );
  for (const [name, more] of [
    ['worker', {}],
    ['deploy', { disableModelInvocation: true }],
  ] as const)
    stage.agent.skills.register(
      defineSkill({ name, description: 'Works.', run: (input) => done('worked', input), ...more }),
    );
  after(() => stage[Symbol.asyncDispose]());

  describe('the scope of code', () => {
    test('has these members and no others', async () => {
      const { result } = await stage.run('facts', null, { session: 'ann' });
      assert.deepEqual(result.value, {
        runId: result.runId,
        session: 'ann',
        skill: 'facts',
        keys: ['call', 'model', 'note', 'runId', 'session', 'signal', 'skill'],
      });
    });

    test('asks models, metered in its run, and leaves notes', async () => {
      const { result, events } = await stage.run('asks', 'Ann');
      assert.deepEqual(result.value, { said: 'Hi.', sum: 4 });
      const notes = ofType(events, 'note.added').map(({ message, data }) => ({ message, data }));
      assert.deepEqual(notes, [{ message: 'asking', data: { who: 'Ann' } }]);
      assert.equal(ofType(events, 'model.ended').length, 2);
    });

    test('throws the failures of models, with their codes', async () => {
      const { result } = await stage.run('fails', null);
      assert.deepEqual(result.value, { code: 'model.refused', isError: true });
    });

    test('calls other skills, one frame deeper; what fails is data', async () => {
      const { result, called, events, notes } = await stage.run('calls', ['worker', 'wroker', 'deploy']);
      const [worked, lost, refused] = result.value as readonly JsonObject[];
      assert.deepEqual(worked, { status: 'done', text: 'worked', value: { from: 'calls' } });
      const codes = [lost, refused].map((output) => ((output ?? {})['error'] as JsonObject)['code']);
      assert.deepEqual(codes, ['skill.not-found', 'policy.denied']);
      assert.match(JSON.stringify(lost), /Did you mean [^?]*worker/);
      assert.deepEqual(called, ['calls', 'worker']);
      assert.deepEqual(
        ofType(events, 'call.refused').map(({ skill }) => skill),
        ['wroker'],
      );
      assert.match(notes.join('\n'), /"calls" may not call "deploy"/);
    });

    test('calls its own skill through three levels, also at once', async () => {
      const { result, called } = await stage.run('down', 3);
      assert.equal(result.value, 'deep', JSON.stringify(result));
      assert.deepEqual(called, ['down', 'down', 'down', 'down']);
      assert.deepEqual((await stage.run('together', null)).result.value, ['deep', 'deep', 'deep']);
    });

    test('is told when the call has to stop', async () => {
      const handle = stage.agent.run({ skill: 'waits', input: null });
      for await (const { type } of handle.events) if (type === 'note.added') await handle.cancel('Enough.');
      assert.equal((await handle.result).status, 'cancelled');
    });
  });
});
