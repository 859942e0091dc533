import assert from 'node:assert/strict';
import { symlinkSync, truncateSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { tree } from '../../test/support/tree.ts';
import { openModelServer } from '../testing/model-server/server.ts';
import { findKeys, findServers, usualModels, usualServers } from './detect.ts';
import { createVariableLookup, readEnvFile } from './providers/keys.ts';

test('keys of the environment come in the order of preference and win over the file', () => {
  using folder = tree({ '.env': 'OPENAI_API_KEY=from-file\nGEMINI_API_KEY="from file"\nPATH=/tmp\n' });
  const environment = { GEMINI_API_KEY: ' ', OPENAI_API_KEY: 'from-environment', ANTHROPIC_API_KEY: 'a' };
  const lookUp = createVariableLookup(environment, () => readEnvFile(folder.path));
  assert.deepEqual(findKeys(lookUp), [
    { provider: 'anthropic', label: 'Anthropic', from: 'environment', variable: 'ANTHROPIC_API_KEY' },
    { provider: 'openai', label: 'OpenAI', from: 'environment', variable: 'OPENAI_API_KEY' },
    { provider: 'google', label: 'Google', from: '.env', variable: 'GEMINI_API_KEY' },
  ]);
  assert.equal(lookUp('OPENAI_API_KEY', 'environment')?.value, 'from-environment');
  assert.equal(lookUp('OPENAI_API_KEY', '.env')?.value, 'from-file');
  assert.equal(lookUp('GEMINI_API_KEY', '.env')?.value, 'from file');
});

test('what is in a file does not get into the process', () => {
  const before = { ...process.env };
  using folder = tree({ '.env': 'OPENAI_BASE_URL=http://evil\nOPENROUTER_API_KEY=r\n' });
  const lookUp = createVariableLookup({}, () => readEnvFile(folder.path));
  assert.equal(lookUp('OPENROUTER_API_KEY', 'environment'), undefined);
  assert.equal(lookUp('OPENROUTER_API_KEY', '.env')?.from, '.env');
  assert.deepEqual({ ...process.env }, before);
});

test('a key is not printed with what holds it', () => {
  const found = createVariableLookup({ OPENAI_API_KEY: 'very-secret' })('OPENAI_API_KEY', 'environment');
  assert.equal(found?.value, 'very-secret');
  for (const text of [JSON.stringify(found), inspect(found, { depth: 9 }), JSON.stringify({ ...found })])
    assert.ok(!text.includes('very-secret'), text);
});

test('a folder without a file has no keys', () => {
  using folder = tree({ 'sub/.env/x': '' });
  assert.deepEqual(findKeys(createVariableLookup({}, () => readEnvFile(folder.path))), []);
  assert.deepEqual(findKeys(createVariableLookup({}, () => readEnvFile(folder.at('sub')))), []);
});

test('an endless or special file has no keys and delays nothing', () => {
  using folder = tree({ 'long/.env': 'OPENAI_API_KEY=x\n' });
  symlinkSync('/dev/zero', folder.at('.env'));
  truncateSync(folder.at('long/.env'), 2 ** 31);
  assert.deepEqual(findKeys(createVariableLookup({}, () => readEnvFile(folder.path))), []);
  assert.deepEqual(findKeys(createVariableLookup({}, () => readEnvFile(folder.at('long')))), []);
});

test('servers that list models are found, others are not', async () => {
  await using good = await openModelServer([], { models: ['nomic-embed-text', 'llama3.2'] });
  const other = createServer((_request, response) => response.end('<html>A shop</html>'));
  const silent = createServer(() => undefined);
  for (const server of [other, silent])
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const addressOf = (server: typeof other): string =>
    `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const addresses = [
    { provider: 'vllm', label: 'vLLM', url: addressOf(other) },
    { provider: 'llamacpp', label: 'llama.cpp', url: addressOf(silent) },
    { provider: 'ollama', label: 'Ollama', url: `${good.url}/v1` },
    { provider: 'lmstudio', label: 'LM Studio', url: 'http://127.0.0.1:1/v1' },
  ];
  const found = await findServers(addresses, 500);
  for (const server of [other, silent]) {
    server.closeAllConnections();
    server.close();
  }
  const models = ['nomic-embed-text', 'llama3.2'];
  assert.deepEqual(found, [{ ...addresses[2], from: 'server', models }]);
  assert.deepEqual(found.map(usualModels), [
    { plan: 'ollama/llama3.2', fast: 'ollama/llama3.2', code: 'ollama/llama3.2' },
  ]);
});

test('every finding stands for models, unless its server has none that answers', () => {
  const everywhere = createVariableLookup({
    ANTHROPIC_API_KEY: 'a',
    OPENAI_API_KEY: 'b',
    GOOGLE_GENERATIVE_AI_API_KEY: 'c',
    OPENROUTER_API_KEY: 'd',
  });
  for (const detected of findKeys(everywhere)) {
    const models = usualModels(detected);
    assert.ok(models);
    for (const name of Object.values(models) as string[]) assert.ok(name.startsWith(`${detected.provider}/`));
  }
  const empty = { provider: 'ollama', label: 'Ollama', from: 'server', models: ['all-minilm'] } as const;
  assert.equal(usualModels(empty), undefined);
});

test('the usual servers are on this machine', () => {
  assert.deepEqual(
    usualServers.map(({ provider, url }) => [provider, new URL(url).port]),
    [
      ['ollama', '11434'],
      ['lmstudio', '1234'],
      ['llamacpp', '8080'],
      ['vllm', '8000'],
    ],
  );
  assert.ok(usualServers.every(({ url }) => new URL(url).hostname === '127.0.0.1'));
});
