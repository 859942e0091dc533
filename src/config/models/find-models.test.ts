import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { minute } from '../../../test/support/deadline.ts';
import { tree } from '../../../test/support/tree.ts';
import { trustProject } from '../../../test/support/trust-project.ts';
import { openModelServer } from '../../testing/model-server/server.ts';
import { askGateways, findAll, findModels, gatewayFault } from './find-models.ts';
import { settingsSources } from '../read/settings.ts';

describe('what is used when no one chose a model', () => {
  test('the first key, and no server is asked then', async () => {
    await using server = await openModelServer([]);
    using files = tree({ 'home/x': '', 'work/.env': 'OPENAI_API_KEY=x\n' });
    const servers = [{ provider: 'ollama', label: 'Ollama', url: `${server.url}/v1` }];
    const home = { HOME: files.at('home') };
    const machine = { environment: home, folder: files.at('work'), servers, patienceMs: minute };
    const untrusted = (await findModels({}, machine)) as Record<string, string>;
    assert.match(untrusted['plan'] ?? '', /^ollama\//);
    assert.equal(server.requests.length, 1);
    await trustProject(settingsSources(files.at('work'), { environment: home }));
    const found = (await findModels({}, machine)) as Record<string, string>;
    assert.match(found['plan'] ?? '', /^openai\//);
    const both = { ...machine, environment: { ...home, ANTHROPIC_API_KEY: 'y' } };
    assert.match(((await findModels({}, both)) as Record<string, string>)['plan'] ?? '', /^anthropic\//);
    assert.equal(server.requests.length, 1);
  });

  test('else the first server that answers, with a model that can talk', async () => {
    await using server = await openModelServer([], { models: ['all-minilm', 'llama'] });
    const gone = await openModelServer([]);
    await gone.close();
    const servers = [
      { provider: 'vllm', label: 'vLLM', url: `${gone.url}/v1` },
      { provider: 'ollama', label: 'Ollama', url: `${server.url}/v1` },
    ];
    const machine = { environment: {}, folder: '/nowhere', servers, patienceMs: minute };
    const use = { plan: 'ollama/llama', fast: 'ollama/llama', code: 'ollama/llama' };
    assert.deepEqual(await findModels({}, machine), use);
    assert.deepEqual(await findAll({}, machine), [
      { ...servers[1], from: 'server', models: ['all-minilm', 'llama'] },
    ]);
  });

  test('no folder, no .env and no look at servers', async () => {
    await using server = await openModelServer([]);
    const servers = [{ provider: 'ollama', label: 'Ollama', url: `${server.url}/v1` }];
    assert.equal(await findModels({}, { environment: {}, servers }), undefined);
    assert.deepEqual(server.requests, []);
  });

  test('a server that was named goes before any key', async () => {
    await using server = await openModelServer([], { models: ['mine'] });
    const providers = { custom: { baseUrl: `${server.url}/v1` } };
    const machine = { environment: { ANTHROPIC_API_KEY: 'y' } };
    assert.deepEqual(await findModels({ providers }, machine), {
      plan: 'custom/mine',
      fast: 'custom/mine',
      code: 'custom/mine',
    });
  });

  test('it is asked with the key of the variable that was named, and the key is in no finding', async () => {
    await using server = await openModelServer([], { models: ['mine'], authorization: 'open-sesame' });
    const options = { providers: { custom: { baseUrl: `${server.url}/v1`, apiKeyEnv: 'MY_KEY' } } };
    const machine = { environment: { MY_KEY: 'open-sesame' } };
    assert.deepEqual(await findAll(options, machine), [
      { provider: 'custom', label: 'custom', url: `${server.url}/v1`, from: 'server', models: ['mine'] },
    ]);
    await assert.rejects(findModels(options, { environment: {} }), { hint: /the key/ });
  });

  test('and one that does not tell its models is an error that says what to do, not another provider', async () => {
    await using server = await openModelServer([], { authorization: 'open-sesame' });
    const options = { providers: { custom: { baseUrl: `${server.url}/v1` } } };
    const search = findModels(options, { environment: { ANTHROPIC_API_KEY: 'y' } });
    await assert.rejects(search, { code: 'model.unavailable', hint: /--model/ });
  });

  test('a dead server was said to list no models: it is called one that cannot be reached', async () => {
    const gone = await openModelServer([]);
    await gone.close();
    for (const baseUrl of [`${gone.url}/v1`, 'http://no-such-host.invalid/v1']) {
      const options = { providers: { custom: { baseUrl } } };
      const search = findModels(options, { environment: { ANTHROPIC_API_KEY: 'y' } });
      await assert.rejects(search, ({ code, message }: { code: string; message: string }) => {
        assert.equal(code, 'model.unavailable');
        assert.ok(message.includes(baseUrl) && !message.includes('does not list'), message);
        return true;
      });
    }
  });
});

describe('gateways', () => {
  test('list their models, are asked with their own key, and one that is dead or slow is a note', async () => {
    await using good = await openModelServer([], { models: ['a', 'b'], authorization: 'open-sesame' });
    await using refusing = await openModelServer([], { authorization: 'other' });
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const gone = await openModelServer([]);
    await gone.close();
    const providers = {
      custom: { baseUrl: `${gone.url}/v1` },
      good: { baseUrl: `${good.url}/v1`, apiKeyEnv: 'MY_KEY' },
      refusing: { baseUrl: `${refusing.url}/v1` },
      silent: { baseUrl: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/v1` },
      dead: { baseUrl: `${gone.url}/v1` },
      keyless: { baseUrl: `${good.url}/v1`, apiKeyEnv: 'NO_SUCH_KEY' },
    };
    const environment = { MY_KEY: 'open-sesame', OPENAI_API_KEY: 'y', OPENAI_BASE_URL: `${refusing.url}/v1` };
    const answers = await askGateways({ providers }, { environment, patienceMs: 500 });
    silent.close();
    silent.closeAllConnections();
    assert.deepEqual(
      answers.map(({ address, models, fault }) => [address.provider, models ?? fault?.code]),
      [
        ['good', ['a', 'b']],
        ['refusing', 'model.denied'],
        ['silent', 'model.timeout'],
        ['dead', 'model.unavailable'],
        ['openai', 'model.denied'],
      ],
    );
    assert.doesNotMatch(JSON.stringify(answers), /open-sesame/);
    const [none, ...notes] = answers.map(gatewayFault);
    assert.equal(none, undefined);
    assert.ok(notes.every((note) => note !== undefined && !note.includes('open-sesame')));
    assert.ok(notes[2]?.includes(`${gone.url}/v1`));
  });
});
