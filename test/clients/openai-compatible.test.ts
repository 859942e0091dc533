import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import { createKeyStore } from '../../src/server/keys/key-store.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { done } from '../support/kernel.ts';
import { openaiStage } from '../support/openai-stage.ts';

describe('the AI SDK with @ai-sdk/openai-compatible', () => {
  test('text, as a stream too', async () => {
    await using on = await openaiStage(['Hello.', { text: 'One two three.', pieces: 3 }]);
    const provider = createOpenAICompatible({
      name: 'skilled',
      baseURL: `${on.url}/openai/v1`,
      includeUsage: true,
    });
    const model = provider('skilled');
    assert.equal((await generateText({ model, prompt: 'Say hello.' })).text, 'Hello.');
    const stream = streamText({ model, prompt: 'Count.' });
    const pieces: string[] = [];
    for await (const piece of stream.textStream) pieces.push(piece);
    assert.deepEqual([pieces.join(''), pieces.length > 1], ['One two three.', true]);
    assert.ok(((await stream.usage).totalTokens ?? 0) > 0);
  });

  test('the program runs its own tool, and the run continues', async () => {
    await using on = await openaiStage([
      { calls: [{ name: 'get_weather', input: { city: 'Cluj' } }] },
      'It is sunny.',
    ]);
    const provider = createOpenAICompatible({ name: 'skilled', baseURL: `${on.url}/openai/v1` });
    const asked: unknown[] = [];
    const inputSchema = jsonSchema<{ city: string }>({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    });
    const { text } = await generateText({
      model: provider('skilled'),
      prompt: 'Weather in Cluj?',
      stopWhen: stepCountIs(3),
      tools: {
        get_weather: tool({
          description: 'Tells the weather.',
          inputSchema,
          execute: (input) => {
            asked.push(input);
            return 'sun';
          },
        }),
      },
    });
    assert.deepEqual([text, asked], ['It is sunny.', [{ city: 'Cluj' }]]);
    assert.equal((await on.agent.runs.list()).length, 1);
  });
});

test('an approval ends the response, and needs a scope', async () => {
  const store = createMemoryStore();
  const keys = createKeyStore(store);
  const add = async (name: string, more: readonly 'approvals:decide'[]): Promise<string> =>
    (await keys.add({ name, user: 'ana', roles: [], scopes: ['runs:write', ...more] })).key;
  const [weak, strong] = [await add('weak', []), await add('strong', ['approvals:decide'])];
  const skills = { act: () => done('Done it.') };
  const permissions = { ask: ['Skill(act)'] };
  await using on = await openaiStage([], skills, { agent: { store, permissions }, server: { keys: true } });
  for (const [answer, expected] of [
    ['approve', /Done it/],
    ['deny', undefined],
  ] as const) {
    const client = on.client.withOptions({ apiKey: weak });
    const model = 'skilled/act';
    const first = await client.responses.create({ model, input: 'Act.' });
    assert.match(first.output_text, /Approval: r_\w+\.q_/);
    const next = { model, input: answer, previous_response_id: first.id };
    await assert.rejects(client.responses.create(next), { status: 403, code: 'policy.denied' });
    const decided = on.client.withOptions({ apiKey: strong }).responses.create(next);
    if (expected === undefined) await assert.rejects(decided, { status: 403, code: 'policy.denied' });
    else assert.match((await decided).output_text, expected);
  }
});
