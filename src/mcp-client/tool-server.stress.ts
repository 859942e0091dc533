import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { openLoops } from '../../test/stress/stress.ts';
import { until } from '../../test/support/kernel.ts';
import { serveOdd } from '../../test/support/odd-http-server.ts';
import { callText, oddEndpoint, open } from '../../test/support/tool-server-stage.ts';
import type { ServerEndpoint } from '../core/servers/tool-server.ts';

const { createLoop } = openLoops(import.meta);
const loop = createLoop({ small: 3, full: 100 });

test('opening and closing leaves no process, no handle and no listener', async () => {
  await using web = await serveOdd();
  const overHttp: ServerEndpoint = {
    kind: 'http',
    name: 'web',
    timeoutMs: 60_000,
    url: web.url,
    headers: {},
  };
  const { signal } = new AbortController();
  const cycle = async (endpoint: ServerEndpoint): Promise<void> => {
    await using server = open(endpoint);
    assert.match(await callText(server, 'plain', { a: 1 }, { signal }), /"a":1/);
  };
  await cycle(oddEndpoint());
  await cycle(overHttp);
  await until(() => countOpen().children === 0); // what has ended is gone a moment later
  const before = countOpen();
  await loop.rounds(async () => {
    await cycle(oddEndpoint());
    await cycle(overHttp);
  });
  await until(() => countOpen().children === 0);
  const most = before.handles + 4; // connections over HTTP are kept alive for a while
  await until(() => countOpen().handles <= most);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

function countOpen(): { readonly children: number; readonly handles: number } {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8');
  return {
    children: children.split(' ').filter((id) => id !== '').length,
    handles: readdirSync('/proc/self/fd').length,
  };
}
