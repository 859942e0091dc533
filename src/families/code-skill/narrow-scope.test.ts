import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { codeSkillStage } from '../../../test/support/code-skill-stage.ts';
import { done, ofType } from '../../../test/support/kernel.ts';
import { defineSkill } from '../../core/define-skill.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ScriptedTurn } from '../../models/scripted.ts';

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
