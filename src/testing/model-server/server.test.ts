import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { describe, test } from 'node:test';
import { providerClients, readStream, readWhole } from '../../../test/support/provider-clients.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { openModelServer, type ModelServer } from './server.ts';

const chat = providerClients[0]!;

async function post(server: ModelServer, path: string, body: Json, signal?: AbortSignal): Promise<Response> {
  return fetch(server.url + path, { method: 'POST', body: JSON.stringify(body), signal: signal ?? null });
}

async function get(
  server: ModelServer,
  path: string,
  headers: Record<string, string> = {},
): Promise<JsonObject> {
  const json = await (await fetch(server.url + path, { headers })).json();
  assert.ok(isJsonObject(json));
  return json;
}

describe('a model server remembers', () => {
  test('what it was asked, by whom and in which protocol', async () => {
    await using server = await openModelServer(() => 'Yes.');
    for (const { open } of providerClients) await readStream(open(server.url, 'secret'));
    assert.deepEqual(
      server.requests.map(({ method, path, protocol, body }) => [
        method,
        path,
        protocol,
        body['model'],
        body['stream'],
      ]),
      [
        ['POST', '/v1/chat/completions', 'openai-chat', 'test-model', true],
        ['POST', '/v1/chat/completions', 'openai-chat', 'test-model', true],
        ['POST', '/v1/responses', 'openai-responses', 'test-model', true],
        ['POST', '/v1/messages', 'anthropic-messages', 'test-model', true],
      ],
    );
    assert.equal(server.requests[0]?.headers['authorization'], 'Bearer secret');
    assert.equal(server.requests[3]?.headers['x-api-key'], 'secret');
    for (const { arrivedAt, endedAt = 0, closedAt } of server.requests) {
      assert.ok(arrivedAt <= endedAt);
      assert.equal(closedAt, undefined);
    }
  });

  test('nothing of a request that its client gave up while sending it', async () => {
    await using server = await openModelServer(['Only one.']);
    const path = '/v1/chat/completions';
    const half = httpRequest(server.url + path, { method: 'POST', headers: { 'content-length': 100 } });
    const gone = new Promise((resolve) => half.once('close', resolve).once('error', () => undefined));
    half.write('{"model":', () => half.destroy());
    await gone;
    assert.equal((await readStream(chat.open(server.url))).text, 'Only one.');
    assert.equal(server.requests.length, 1);
  });
});

describe('the script of a model server', () => {
  test('is asked about each request and its turn, and may take its time', async () => {
    const opened = Promise.withResolvers<undefined>();
    await using server = await openModelServer(async ({ body }, turn) => {
      if (turn === 1) await opened.promise;
      return `${JSON.stringify(body['model'])} ${turn}`;
    });
    const first = readStream(chat.open(server.url));
    await server.waitForRequest(0);
    assert.equal((await readStream(chat.open(server.url))).text, '"test-model" 2');
    opened.resolve(undefined);
    assert.equal((await first).text, '"test-model" 1');
  });

  test('that is over or fails is an error that says so, and that no one tries again', async () => {
    await using over = await openModelServer(['One.']);
    await readStream(chat.open(over.url));
    await assert.rejects(readStream(chat.open(over.url)), {
      message: /\b1 turn\b.*request 2\.$/,
      isRetryable: false,
    });
    await using failing = await openModelServer(() => {
      throw new Error('no idea');
    });
    await assert.rejects(readWhole(chat.open(failing.url)), { message: /failed on turn 1: no idea/ });
    await using odd = await openModelServer([{ text: 'Yes.', headers: { odd: 'two\nlines' } }]);
    await assert.rejects(readWhole(chat.open(odd.url)), {
      message: /cannot be sent: .*odd/,
      isRetryable: false,
    });
  });
});

describe('a model server answers', () => {
  for (const { name, open } of providerClients) {
    test(`only those who have the key, as ${name} sends it`, async () => {
      await using server = await openModelServer(['Welcome.'], { authorization: 'secret' });
      await assert.rejects(readStream(open(server.url, 'wrong')), { statusCode: 401, message: /no key/ });
      assert.equal((await readStream(open(server.url, 'secret'))).text, 'Welcome.');
    });

    test(`for its models, as ${name} asks`, async () => {
      await using server = await openModelServer(['Never.'], { models: ['other'] });
      await assert.rejects(readStream(open(server.url)), { statusCode: 404, message: /model test-model/ });
    });
  }

  test('with its list of models, as OpenAI, Anthropic and Ollama write it', async () => {
    await using server = await openModelServer([], { models: ['a', 'b'] });
    const openai = await get(server, '/v1/models?limit=9');
    assert.deepEqual(
      (openai['data'] as JsonObject[]).map(({ id }) => id),
      ['a', 'b'],
    );
    const anthropic = await get(server, '/v1/models', { 'anthropic-version': '2023-06-01' });
    assert.equal(anthropic['last_id'], 'b');
    const ollama = await get(server, '/api/tags');
    assert.deepEqual(
      (ollama['models'] as JsonObject[]).map(({ name }) => name),
      ['a', 'b'],
    );
  });

  test('what it does not know with an error, and no turn is lost', async () => {
    await using server = await openModelServer(['Still there.']);
    assert.equal((await post(server, '/chat/completions', { model: 'a' })).status, 404);
    assert.equal((await post(server, '/v1/chat/completions', ['no', 'request'])).status, 400);
    assert.equal((await fetch(`${server.url}/v1/messages`)).status, 404);
    assert.equal((await readStream(chat.open(server.url))).text, 'Still there.');
  });

  test('with usage at the end of a chat only where it is asked for', async () => {
    await using server = await openModelServer(() => 'Yes.');
    const ask = async (more: JsonObject): Promise<string> =>
      (await post(server, '/v1/chat/completions', { model: 'a', stream: true, ...more })).text();
    assert.doesNotMatch(await ask({}), /"usage"/);
    assert.match(await ask({ stream_options: { include_usage: true } }), /"usage".*\n\ndata: \[DONE\]\n\n$/s);
  });
});

describe('waiting for requests to a model server', () => {
  test('learns of a request that comes later, and of a client that leaves', async () => {
    await using server = await openModelServer([{ hang: true }, 'Yes.']);
    const second = server.waitForRequest(1);
    const leaving = server.closed(0);
    const controller = new AbortController();
    const asked = post(server, '/v1/messages', { model: 'a', stream: true }, controller.signal);
    await server.waitForRequest(0);
    controller.abort();
    await assert.rejects(asked.then((response) => response.text()));
    assert.equal(await leaving, server.requests[0]?.closedAt);
    await post(server, '/v1/messages', { model: 'b' });
    assert.equal((await second).body['model'], 'b');
  });

  test('gets an error when there is nothing to wait for any more', async () => {
    const server = await openModelServer([{ hang: true }, 'Yes.']);
    const asked = assert.rejects(readStream(chat.open(server.url)));
    await server.waitForRequest(0);
    await readStream(chat.open(server.url));
    const refused = { code: 'usage.not-found' };
    await assert.rejects(server.closed(1), refused);
    const waits = [server.waitForRequest(2), server.closed(0), server.closed(7)];
    const all = Promise.all(waits.map((wait) => assert.rejects(wait, refused)));
    await server.close();
    await all;
    await asked;
    await assert.rejects(server.waitForRequest(3), refused);
    assert.equal(server.requests[0]?.closedAt, undefined, 'it was not the client that left');
    await server.close();
  });

  test('is not kept waiting by open connections', async () => {
    const server = await openModelServer(() => ({ text: 'one two', hang: true }));
    const asked = Promise.allSettled(providerClients.map(({ open }) => readStream(open(server.url))));
    await server.waitForRequest(providerClients.length - 1);
    await server.close();
    assert.ok((await asked).every(({ status }) => status === 'rejected'));
    await assert.rejects(fetch(server.url));
  });
});
