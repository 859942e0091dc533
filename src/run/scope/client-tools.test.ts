import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ofType, settled } from '../../../test/support/kernel.ts';
import { call, stage, toolTexts } from '../../../test/support/loop-stage.ts';
import { createMemoryStore } from '../../stores/memory.ts';

const weather = {
  name: 'get_weather',
  description: 'Tells the weather.',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const asks = (city: string): { readonly name: string; readonly input: { readonly city: string } } => ({
  name: 'get_weather',
  input: { city },
});

test('a call of a client tool waits, carries the call, and continues with the result', async () => {
  await using on = stage([{ calls: [asks('Cluj')] }, 'It is sunny.']);
  const run = on.agent.run({ skill: 'think', input: 'Weather?', tools: [weather] });
  const { runId, status, question } = await settled(run.result);
  assert.deepEqual(
    [status, question?.kind, question?.tool],
    ['waiting', 'input', { name: 'get_weather', arguments: { city: 'Cluj' } }],
  );
  assert.deepEqual(
    on.model.requests[0]?.tools?.map(({ name }) => name),
    ['get_weather'],
  );
  await on.agent.runs.answer(runId, 'sunny');
  const { text } = await settled(on.agent.runs.resume(runId).result);
  assert.equal(text, 'It is sunny.');
  assert.match(toolTexts(on.model.requests[1])[0] ?? '', /sunny/);
});

test('another process continues a run with client tools, and every call of a step is asked', async () => {
  const store = createMemoryStore();
  const first = stage([{ calls: [asks('Cluj'), asks('Iași')] }], {}, { options: { store } });
  const { runId } = await settled(
    first.agent.run({ skill: 'think', input: 'Weather?', tools: [weather] }).result,
  );
  await first.agent.shutdown();
  await using second = stage(['Sunny and wet.'], {}, { options: { store } });
  const questions = ofType(await second.agent.runs.events(runId), 'input.requested');
  assert.deepEqual(
    questions.map(({ question }) => question.tool?.arguments),
    [{ city: 'Cluj' }, { city: 'Iași' }],
  );
  await second.agent.runs.answer(runId, 'sunny', questions[0]?.id);
  await second.agent.runs.answer(runId, { error: 'no sensor' }, questions[1]?.id);
  const { text } = await settled(second.agent.runs.resume(runId).result);
  assert.equal(text, 'Sunny and wet.');
  const [one = '', other = ''] = toolTexts(second.model.requests[0]);
  assert.match(one, /sunny/);
  assert.match(other, /no sensor/);
});

test('a client tool takes the place of a skill with the same name, and invalid tools are refused', async () => {
  await using on = stage([{ calls: [call('look', {})] }, 'Done.'], {
    look: () => ({ status: 'done', text: 'own' }),
  });
  const { question } = await settled(
    on.agent.run({ skill: 'think', tools: [{ name: 'look', description: '' }] }).result,
  );
  assert.equal(question?.tool?.name, 'look');
  for (const tools of [
    null,
    [{}],
    [weather, weather],
    [{ ...weather, name: 'a b' }],
    [{ ...weather, input: 1 }],
  ]) {
    const { error } = await settled(on.agent.run({ skill: 'think', tools: tools as never }).result);
    assert.equal(error?.code, 'usage.bad-input', JSON.stringify(tools));
  }
});
