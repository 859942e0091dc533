import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { serveWeb } from '../../test/support/odd-http-server.ts';
import { callText, open, stdioEndpoint, unhurried } from '../../test/support/tool-server-stage.ts';
import { settled } from '../../test/support/deadline.ts';
import type { ServerEndpoint } from '../core/servers/tool-server.ts';
import { sourceFile } from '../../test/support/source-file.ts';

const program = sourceFile('test/support/hostile-server.ts');
const hostile = (way = 'tools'): ServerEndpoint => stdioEndpoint('node', [program, way]);

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapUsed(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

describe('a server that wants to harm', () => {
  const server = open(hostile());
  after(() => server.close());

  test('describes no tool with more than a model could read', async () => {
    const names = (await server.tools(unhurried)).map(({ name }) => name);
    assert.deepEqual(names, ['pattern', 'parts', 'pings', 'asks']);
    assert.deepEqual(server.complaints(), [
      'The tool "hid\\u{202e}den" has no valid name.',
      'The tool "long" has a description of more than 200,000 characters.',
    ]);
  });

  for (const name of ['pattern', 'parts']) {
    test(`does not keep us busy by checks without an end: ${name}`, async () => {
      await assert.rejects(settled(callText(server, name), 'the end'), {
        code: 'server.failed',
        message: /Failed to validate structured content/,
      });
    });
  }

  test('gets no model, no form and no folder by asking for it', async () => {
    const methods = ['sampling/createMessage', 'elicitation/create', 'roots/list', 'tasks/list', 'no/such'];
    const refusals = Object.fromEntries(methods.map((method) => [method, -32_601]));
    assert.deepEqual(JSON.parse(await callText(server, 'asks')), refusals);
  });

  test('does not fill our memory by questions whose answers it does not read', async () => {
    const before = heapUsed();
    assert.equal(await settled(callText(server, 'pings'), 'the end'), 'all asked');
    assert.ok(heapUsed() - before < 20_000_000, `${before} before, ${heapUsed()} after`);
  });

  test('has a list that ends', async () => {
    await using other = open(hostile('list'));
    await assert.rejects(other.tools(unhurried), { code: 'server.failed', message: /more than .* 16 MB/ });
  });
});

test('a server over HTTP that ends its stream at once, and wants it back at once, has to wait', async (context) => {
  let opened = 0;
  const clocks = context.mock.method(globalThis, 'setTimeout');
  const often = Promise.withResolvers<number>();
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'hostile', version: '1' },
    },
    'tools/list': { tools: [] },
  };
  await using web = await serveWeb(async (request) => {
    if (request.method === 'GET') {
      if (++opened === 4) often.resolve(4);
      return new Response('retry: 0\nid: 1\ndata:\n\n', {
        headers: { 'content-type': 'text/event-stream' },
      });
    }
    const { id, method = '' } = JSON.parse(await request.text()) as { id?: number; method?: string };
    if (id === undefined) return new Response(null, { status: 202 });
    const result = results[method];
    const error = { code: -32_601, message: 'There is no such method.' };
    return Response.json({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) });
  });
  const url = `${web.origin}/mcp`;
  await using server = open({ kind: 'http', name: 'web', timeoutMs: 60_000, headers: {}, url });
  assert.deepEqual(await server.tools(unhurried), []);
  const timer = setInterval(() => undefined, 1000); // a stream that will be reopened keeps no process alive
  await settled(often.promise, 'four streams');
  clearInterval(timer);
  const pauses = clocks.mock.calls.map(({ arguments: [, milliseconds = 0] }) => milliseconds);
  assert.ok(pauses.filter((milliseconds) => milliseconds === 200).length >= 3, pauses.join());
});
