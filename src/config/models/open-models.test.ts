import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { compileCache } from '../../../test/support/compile-cache.ts';
import { minute } from '../../../test/support/deadline.ts';
import { sourceUrl } from '../../../test/support/source-file.ts';
import { tree } from '../../../test/support/tree.ts';
import { collect, type Model, type ModelReply } from '../../core/model.ts';
import { openModelServer } from '../../testing/model-server/server.ts';
import { dropEmptyAddresses, openModels } from './open-models.ts';

function ask(model: Model): Promise<ModelReply> {
  const messages = [{ role: 'user', text: 'How are you?' }] as const;
  return collect(model.stream({ messages }, new AbortController().signal));
}

describe('models by what was chosen', () => {
  test('a role comes to the server of its tier, with the price that was set', async () => {
    await using server = await openModelServer(() => ({
      text: 'Well.',
      usage: { inputTokens: 100, outputTokens: 10 },
    }));
    const source = openModels(
      {
        models: { plan: 'mine/a', fast: 'mine/b' },
        providers: { mine: { baseUrl: `${server.url}/v1` } },
        prices: { 'mine/b': { input: 10_000, output: 0 } },
      },
      { environment: {} },
    );
    assert.equal((await ask(source.model('plan'))).text, 'Well.');
    assert.equal((await ask(source.model('summary'))).usage.cost, 1);
    assert.deepEqual(
      server.requests.map(({ body }) => body['model']),
      ['a', 'b'],
    );
  });

  test('nothing is looked for before a model is asked, and what is found answers', async () => {
    await using server = await openModelServer(() => 'Well.', { models: ['llama'] });
    const servers = [{ provider: 'ollama', label: 'Ollama', url: `${server.url}/v1` }];
    const providers = { ollama: { baseUrl: `${server.url}/v1` } };
    const machine = { environment: {}, folder: '/nowhere', servers, patienceMs: minute };
    const source = openModels({ providers }, machine);
    const model = source.model('plan');
    assert.deepEqual(server.requests, []);
    const { text, model: by } = await ask(model);
    assert.deepEqual([text, by], ['Well.', 'ollama/llama']);
  });

  test('an empty text says what to set', async () => {
    using files = tree({ x: '' });
    const source = openModels({}, { environment: {}, folder: files.path, servers: [] });
    const { error } = await ask(source.model('plan'));
    assert.equal(error?.code, 'model.unavailable');
    assert.match(
      error.hint ?? '',
      /ANTHROPIC_API_KEY, .*, GEMINI_API_KEY or OPENROUTER_API_KEY, or set a model/,
    );
  });
});

test('only addresses that are empty are unset', () => {
  const environment = { ANTHROPIC_BASE_URL: ' ', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', EMPTY: '' };
  dropEmptyAddresses(environment);
  assert.deepEqual(environment, { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', EMPTY: '' });
});

test('an empty address in the environment keeps no package from loading once a model is opened', () => {
  const script = `
    const { createModelOpener } = await import(${JSON.stringify(sourceUrl('src/config/models/open-models.ts'))});
    const { machineFor } = await import(${JSON.stringify(sourceUrl('src/config/models/find-models.ts'))});
    createModelOpener({}, machineFor(undefined))('anthropic/x');
    await import('@ai-sdk/anthropic');
    await import('@ai-sdk/openai');
    process.stdout.write('loaded');`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    env: { ...compileCache(), ANTHROPIC_BASE_URL: '', OPENAI_BASE_URL: '' },
    encoding: 'utf8',
  });
  assert.equal(stdout, 'loaded', stderr);
});
