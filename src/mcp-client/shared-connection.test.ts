import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { settled } from '../../test/support/deadline.ts';
import { serveOdd } from '../../test/support/odd-http-server.ts';
import { oddEndpoint } from '../../test/support/tool-server-stage.ts';
import type { ServerEndpoint } from '../core/servers/tool-server.ts';
import type { ServerConnection } from './connect.ts';
import { createSharedConnection, withClient } from './shared-connection.ts';
import { openSandboxTransport } from './stdio-transport.ts';

test('a connection that is not used is closed, and opened again on demand', async () => {
  const shared = createSharedConnection(oddEndpoint(), 1);
  const { signal } = new AbortController();
  const over = Promise.withResolvers<undefined>();
  const first = await shared.use(signal, async (connection: ServerConnection) => {
    const { onclose } = connection.client;
    connection.client.onclose = () => {
      onclose?.();
      over.resolve(undefined);
    };
    return connection;
  });
  await settled(over.promise, 'the end');
  assert.equal(first.isOver(), true);
  await shared.use(signal, async (connection) => assert.notEqual(connection, first));
  assert.equal(getEventListeners(signal, 'abort').length, 0);
  await shared.close();
});

test('a connection that is closed while an answer is awaited says so, and is not taken for a server that ended', async () => {
  const shared = createSharedConnection(oddEndpoint());
  const asked = Promise.withResolvers<undefined>();
  const use = shared.use(new AbortController().signal, ({ client }) =>
    client.callTool({ name: 'wait', arguments: {} }, { onprogress: () => asked.resolve(undefined) }),
  );
  const rejected = assert.rejects(use, { code: 'server.unreachable', message: /"odd" was closed\.$/ });
  await asked.promise;
  await shared.close();
  await rejected;
});

test('a way to a server that was closed starts none any more', async () => {
  let started = 0;
  const endpoint = oddEndpoint();
  assert.ok(endpoint.kind === 'stdio');
  const openSandbox: typeof endpoint.openSandbox = (read) => {
    started++;
    return endpoint.openSandbox(read);
  };
  const channel = await openSandboxTransport({ ...endpoint, openSandbox });
  await channel.close();
  await assert.rejects(channel.transport.start(), { code: 'server.unreachable' });
  assert.equal(started, 0);
});

test('work with a client of its own ends with it, and its faults are reported', async () => {
  await using web = await serveOdd();
  const endpoint: ServerEndpoint = {
    kind: 'http',
    name: 'web',
    timeoutMs: 60_000,
    url: web.url,
    headers: {},
  };
  const { signal } = new AbortController();
  const returned = await withClient(
    endpoint,
    async (client) => {
      assert.ok((await client.listTools()).tools.length > 0);
      return client;
    },
    signal,
  );
  assert.equal(returned.transport, undefined);
  const failing = withClient(endpoint, (client) => client.readResource({ uri: '' }, { timeout: 1 }), signal);
  await assert.rejects(failing, { code: /^(?:server\.failed|limit\.time)$/ });
});
