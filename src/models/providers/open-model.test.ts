import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect, type ModelReply } from '../../core/model.ts';
import { openModelServer } from '../../testing/model-server/server.ts';
import { createVariableLookup, type ProviderEnvironment } from './keys.ts';
import { openModel, type OpenModelOptions } from './open-model.ts';

const never = new AbortController().signal;

function ask(
  name: string,
  environment: ProviderEnvironment,
  more: Partial<OpenModelOptions> = {},
): Promise<ModelReply> {
  const options = { lookUp: createVariableLookup(environment), ...more };
  const model = openModel(name, options);
  assert.equal(model.id, name);
  return collect(model.stream({ messages: [{ role: 'user', text: 'Hi.' }] }, never));
}

test('what is wrong with a name is said when the model is asked', async () => {
  const hints = async (name: string): Promise<readonly (string | undefined)[]> => {
    const { error } = await ask(name, {}, { providers: { mine: { baseUrl: 'http://127.0.0.1:1/v1' } } });
    return [error?.code, error?.message, error?.hint];
  };
  assert.deepEqual(await hints('antropic/claude'), [
    'model.unavailable',
    'Unknown provider "antropic".',
    'Did you mean "anthropic"?',
  ]);
  assert.match((await hints('zzzzzzz/y'))[2] ?? '', /^Available providers: mine, anthropic, openai, .*vllm;/);
  for (const name of ['gpt-5', '/x', 'x/', ''])
    assert.match((await hints(name))[1] ?? '', /is not a valid model name\.$/);
});

test('an address that is none is said to be none', async () => {
  const { error } = await ask('mine/x', {}, { providers: { mine: { baseUrl: 'my-server' } } });
  assert.equal(error?.message, 'The address "my-server" for mine is not a valid URL.');
  const { error: other } = await ask('openai/x', { OPENAI_BASE_URL: 'nowhere', OPENAI_API_KEY: 'x' });
  assert.equal(other?.code, 'model.unavailable');
});

test('a missing key names its variables', async () => {
  for (const [name, message] of [
    ['anthropic/x', 'Anthropic requires a key, and ANTHROPIC_API_KEY is not set.'],
    [
      'google/x',
      'Google requires a key, and neither GOOGLE_GENERATIVE_AI_API_KEY nor GEMINI_API_KEY is set.',
    ],
    ['openrouter/meta/llama', 'OpenRouter requires a key, and OPENROUTER_API_KEY is not set.'],
  ] as const) {
    const { error } = await ask(name, {});
    assert.deepEqual([error?.code, error?.message], ['model.denied', message]);
    assert.match(error?.hint ?? '', /^Set [A-Z_]+_API_KEY to a valid key\.$/);
  }
});

test('a server of one’s own, by any name and with slashes in the model', async () => {
  await using server = await openModelServer(() => 'Hi.', { authorization: 'secret-of-mine' });
  const providers = { mine: { baseUrl: `${server.url}/v1/`, apiKeyEnv: 'MY_KEY' } };
  const reply = await ask('mine/org/model:7b', { MY_KEY: 'secret-of-mine' }, { providers });
  assert.equal(reply.text, 'Hi.');
  assert.equal(server.requests[0]?.body['model'], 'org/model:7b');

  const unset = await ask('mine/x', {}, { providers });
  assert.equal(unset.error?.message, 'mine requires a key, and MY_KEY is not set.');
  const wrong = await ask('mine/x', { MY_KEY: 'wrong' }, { providers });
  assert.equal(wrong.error?.message, 'The key in MY_KEY was rejected by mine.');
  const none = await ask('mine/x', {}, { providers: { mine: { baseUrl: `${server.url}/v1` } } });
  assert.deepEqual(
    [none.error?.message, none.error?.hint],
    [
      'mine requires a key, but none is set.',
      'Set "apiKeyEnv" for the provider "mine" to the name of the environment variable that contains the key.',
    ],
  );
});

test('settings may put a known server elsewhere, and prices of one’s own count', async () => {
  await using server = await openModelServer(() => ({
    text: 'Hi.',
    usage: { inputTokens: 100, outputTokens: 10 },
  }));
  const providers = { ollama: { baseUrl: `${server.url}/v1` } };
  const prices = { 'ollama/llama3.2': { input: 1, output: 2 } };
  const reply = await ask('ollama/llama3.2', {}, { providers, prices });
  assert.equal(reply.usage.cost, 120 / 1e6);
  assert.equal(server.requests[0]?.headers['authorization'], undefined);
});

test('the address of Anthropic may be written with and without its version', async () => {
  await using server = await openModelServer(() => 'Hi.', { authorization: 'mine' });
  for (const address of [server.url, `${server.url}/v1/`]) {
    const environment = { ANTHROPIC_BASE_URL: address, ANTHROPIC_API_KEY: 'mine' };
    assert.equal((await ask('anthropic/claude', environment)).text, 'Hi.');
  }
  assert.deepEqual(
    server.requests.map(({ path }) => path),
    ['/v1/messages', '/v1/messages'],
  );
});

test('servers with an OpenAI-compatible API are asked in the protocol that all of them support', async () => {
  await using server = await openModelServer(() => 'Hi.');
  const environment = { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: 'x' };
  assert.equal((await ask('openai/anything', environment)).text, 'Hi.');
  assert.equal((await ask('openai/anything', { OPENAI_BASE_URL: `${server.url}/v1` })).text, 'Hi.');
  const [request] = server.requests;
  assert.equal(request?.path, '/v1/chat/completions');
  assert.equal(request.body['store'], undefined);
});

test('a key that a provider quotes is not shown', async () => {
  const secret = 'zzz-not-shaped-like-a-key';
  await using server = await openModelServer([{ status: 400, errorMessage: `Bad header ${secret}` }]);
  const providers = { mine: { baseUrl: `${server.url}/v1`, apiKeyEnv: 'MY_KEY' } };
  const { error } = await ask('mine/x', { MY_KEY: secret }, { providers });
  assert.ok(!JSON.stringify(error).includes(secret), error?.message);
});
