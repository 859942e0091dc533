import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import OpenAI from 'openai';
import type { FunctionTool } from 'openai/resources/responses/responses';
import { createKeyStore } from '../../src/server/keys/key-store.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { done, until } from '../support/kernel.ts';
import { openaiStage } from '../support/openai-stage.ts';

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const weather: FunctionTool = {
  type: 'function',
  name: 'get_weather',
  description: 'Tells the weather.',
  parameters,
  strict: true,
};
const chatWeather: OpenAI.ChatCompletionTool = {
  type: 'function',
  function: { name: 'get_weather', description: 'Tells the weather.', parameters },
};
const asks = (...cities: readonly string[]): object => ({
  calls: cities.map((city) => ({ name: 'get_weather', input: { city } })),
});

describe("the client's tools", () => {
  test('a call and its result over Responses', async () => {
    await using on = await openaiStage([asks('Cluj'), 'Sunny.']);
    const { responses } = on.client;
    const first = await responses.create({ model: 'skilled', input: 'Weather in Cluj?', tools: [weather] });
    const [call] = first.output;
    assert.ok(call?.type === 'function_call', JSON.stringify(first.output));
    assert.deepEqual([call.name, JSON.parse(call.arguments)], ['get_weather', { city: 'Cluj' }]);
    await assert.rejects(
      responses.create({ model: 'skilled', input: 'Well?', previous_response_id: first.id }),
      OpenAI.BadRequestError,
    );
    const next = await responses.create({
      model: 'skilled',
      input: [{ type: 'function_call_output', call_id: call.call_id, output: '{"sky":"clear"}' }],
      previous_response_id: first.id,
      tools: [weather],
    });
    assert.equal(next.output_text, 'Sunny.');
    assert.match(on.model.requests[1]?.messages.at(-1)?.text ?? '', /clear/);
    assert.equal((await on.agent.runs.list()).length, 1);
  });

  test('a stream has the events of a call', async () => {
    await using on = await openaiStage([{ text: 'Let me look.', ...asks('Cluj') }]);
    const stream = on.client.responses.stream({
      model: 'skilled',
      input: 'Weather in Cluj?',
      tools: [weather],
    });
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    const { output } = await stream.finalResponse();
    assert.deepEqual(
      output.map(({ type }) => type),
      ['message', 'function_call'],
    );
    assert.deepEqual(types.slice(-5), [
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
  });

  test('calls and their results over Chat Completions, at once and as a stream', async () => {
    for (const stream of [false, true]) {
      await using on = await openaiStage([asks('Cluj', 'Iași'), 'Sunny and wet.']);
      const { completions } = on.client.chat;
      const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Weather?' }];
      const request: OpenAI.ChatCompletionCreateParamsNonStreaming = {
        model: 'skilled',
        messages,
        tools: [chatWeather],
      };
      const { choices }: OpenAI.ChatCompletion = stream
        ? await completions.stream({ ...request, stream: true }).finalChatCompletion()
        : await completions.create(request);
      const [choice] = choices;
      const calls = choice?.message.tool_calls ?? [];
      assert.deepEqual([choice?.finish_reason, calls.length], ['tool_calls', 2]);
      assert.ok(choice);
      messages.push(choice.message);
      for (const { id } of calls.slice(0, 1))
        messages.push({ role: 'tool', tool_call_id: id, content: 'sun' });
      await assert.rejects(completions.create(request), OpenAI.BadRequestError);
      for (const { id } of calls.slice(1)) messages.push({ role: 'tool', tool_call_id: id, content: 'rain' });
      const last = await completions.create(request);
      assert.equal(last.choices[0]?.message.content, 'Sunny and wet.');
      assert.deepEqual((await on.agent.getActiveSessions()).length, 0);
    }
  });

  test('the server restarts between a call and its result', async () => {
    const store = createMemoryStore();
    const before = await openaiStage([asks('Cluj')], {}, { agent: { store } });
    const first = await before.client.responses.create({
      model: 'skilled',
      input: 'Weather?',
      tools: [weather],
    });
    await before[Symbol.asyncDispose]();
    await using on = await openaiStage(['Sunny.'], {}, { agent: { store } });
    const [call] = first.output;
    assert.ok(call?.type === 'function_call');
    const { output_text: text } = await on.client.responses.create({
      model: 'skilled',
      input: [{ type: 'function_call_output', call_id: call.call_id, output: 'sun' }],
      previous_response_id: first.id,
    });
    assert.equal(text, 'Sunny.');
  });
});

describe('keys', () => {
  test('users do not see the responses, calls and sessions of each other', async () => {
    const store = createMemoryStore();
    const keys = createKeyStore(store);
    const scopes = ['runs:read', 'runs:write', 'skills:read'] as const;
    const ana = (await keys.add({ name: 'ana', user: 'ana', roles: [], scopes })).key;
    const bob = (await keys.add({ name: 'bob', user: 'bob', roles: [], scopes })).key;
    const limited = {
      name: 'reader',
      user: 'ana',
      roles: [],
      scopes: ['skills:read'] as const,
      skills: ['echo'],
    };
    const reader = (await keys.add(limited)).key;
    const skills = { echo: () => done('echoed'), other: () => done('other') };
    await using on = await openaiStage([asks('Cluj'), 'Bob?', 'Who?'], skills, {
      agent: { store },
      server: { keys: true },
    });
    const as = (apiKey: string): OpenAI => on.client.withOptions({ apiKey });
    await assert.rejects(as('wrong').models.list(), OpenAI.AuthenticationError);
    const first = await as(ana).responses.create({ model: 'skilled', input: 'Weather?', tools: [weather] });
    const [call] = first.output;
    assert.ok(call?.type === 'function_call');
    await assert.rejects(as(bob).responses.retrieve(first.id), OpenAI.NotFoundError);
    await assert.rejects(as(bob).responses.cancel(first.id), OpenAI.NotFoundError);
    await assert.rejects(as(bob).responses.delete(first.id), OpenAI.NotFoundError);
    const output = { type: 'function_call_output', call_id: call.call_id, output: 'sun' } as const;
    await assert.rejects(
      as(bob).responses.create({ model: 'skilled', input: [output] }),
      OpenAI.NotFoundError,
    );
    await assert.rejects(
      as(bob).responses.create({ model: 'skilled', input: 'x', previous_response_id: first.id }),
      OpenAI.NotFoundError,
    );
    await as(bob).responses.create({ model: 'skilled', input: 'I am Bob.', conversation: 'c' });
    await as(ana).responses.create({ model: 'skilled', input: 'Who am I?', conversation: 'c' });
    assert.ok(!JSON.stringify(on.model.requests.at(-1)?.messages).includes('I am Bob.'));
    await assert.rejects(
      as(reader).responses.create({ model: 'skilled', input: 'x' }),
      OpenAI.PermissionDeniedError,
    );
    const { data } = await as(reader).models.list();
    assert.deepEqual(
      data.map(({ id }) => id),
      ['skilled', 'skilled/echo'],
    );
  });
});

test('limits of a key have the form of the API, and large bodies are refused', async () => {
  const store = createMemoryStore();
  const keys = createKeyStore(store);
  const { key } = await keys.add({
    name: 'ana',
    user: 'ana',
    roles: [],
    scopes: ['runs:write', 'skills:read'],
    concurrentRuns: 1,
  });
  await using on = await openaiStage([{ hang: true }], {}, { agent: { store }, server: { keys: true }, key });
  const abort = new AbortController();
  const { responses } = on.client;
  const first = responses.create({ model: 'skilled', input: 'Wait.' }, { signal: abort.signal });
  const isOver = first.then(
    () => undefined,
    () => undefined,
  );
  await until(() => on.model.requests.length === 1);
  await assert.rejects(responses.create({ model: 'skilled', input: 'Too many.' }), (thrown) => {
    assert.ok(thrown instanceof OpenAI.APIError);
    assert.deepEqual([thrown.status, thrown.code], [429, 'limit.busy']);
    return true;
  });
  await assert.rejects(responses.create({ model: 'skilled', input: 'x'.repeat(9_000_000) }), {
    status: 413,
    code: 'limit.too-large',
  });
  abort.abort();
  await isOver;
});
