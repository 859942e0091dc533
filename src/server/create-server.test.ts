import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentWith, done, textOf } from '../../test/support/kernel.ts';
import type { Json, JsonObject } from '../core/index.ts';
import { createServer } from './create-server.ts';

async function read(response: Response): Promise<JsonObject> {
  return (await response.json()) as JsonObject;
}

function post(path: string, body: Json, headers: Readonly<Record<string, string>> = {}): Request {
  return new Request(`http://localhost${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
}

function get(path: string, headers: Readonly<Record<string, string>> = {}): Request {
  return new Request(`http://localhost${path}`, { headers });
}

test('a run is started, waited for, listed and followed', async () => {
  await using agent = agentWith({ echo: (input) => done(textOf(input), { got: input }) });
  await using server = createServer(agent);
  const response = await server.fetch(post('/v1/runs', { skill: 'echo', input: 'hi', wait: true }));
  const run = await read(response);
  assert.equal(response.status, 200, JSON.stringify(run));
  assert.deepEqual(
    [run['status'], run['text'], run['value'], run['ok']],
    ['done', 'hi', { got: 'hi' }, true],
  );
  const list = await read(await server.fetch(get('/v1/runs')));
  assert.deepEqual(
    (list['data'] as JsonObject[]).map(({ id }) => id),
    [run['id']],
  );
  const events = await (
    await server.fetch(get(`/v1/runs/${run['id'] as string}/events`, { accept: 'text/event-stream' }))
  ).text();
  const ids = [...events.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  assert.deepEqual(
    ids,
    ids.map((_, index) => index + 1),
  );
  assert.match(events, /event: run\.ended\n/);
});

test('the API describes itself', async () => {
  await using agent = agentWith({});
  await using server = createServer(agent);
  const document = await read(await server.fetch(get('/openapi.json')));
  assert.equal(document['openapi'], '3.1.0');
});

test('errors are problems', async () => {
  await using agent = agentWith({});
  await using server = createServer(agent);
  for (const [request, status] of [
    [get('/v1/runs/r_0'), 404],
    [get('/v1/nothing'), 404],
    [get('/nothing'), 404],
    [post('/v1/runs', {}), 400],
    [post('/v1/runs', { skill: 'x' }), 404],
    [post('/v1/runs/x', {}), 405],
    [post('/v1/runs', { prompt: 'x' }, { origin: 'https://evil.example' }), 403],
    [get('/v1/runs', { host: 'evil.example' }), 421],
  ] as const) {
    const response = await server.fetch(request);
    const body = await response.text();
    assert.equal(response.status, status, `${request.url} ${body}`);
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
    assert.ok((JSON.parse(body) as JsonObject)['code'], body);
  }
});
