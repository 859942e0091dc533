import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { serveOdd, serveWeb } from '../../test/support/odd-http-server.ts';
import { callText, open, packageFolder, toolOf, unhurried } from '../../test/support/tool-server-stage.ts';
import { settled } from '../../test/support/deadline.ts';
import type { ServerEndpoint } from '../core/servers/tool-server.ts';

const at = (url: string, more: Partial<ServerEndpoint & { kind: 'http' }> = {}): ServerEndpoint => ({
  kind: 'http',
  name: 'web',
  timeoutMs: 60_000,
  headers: {},
  url,
  ...more,
});

describe('a server over HTTP', () => {
  test('lists, answers, reports progress, and learns that a request was cancelled', async () => {
    await using web = await serveOdd();
    await using server = open(at(`${web.url}?key=hidden`));
    assert.equal(server.endpoint, web.url);
    assert.ok((await server.tools(unhurried)).length > 10);
    assert.match(await callText(server, 'plain', { a: 1 }), /"a":1/);
    const stop = new AbortController();
    const reason = new Error('no longer wanted');
    const request = { signal: stop.signal, onProgress: () => stop.abort(reason) };
    await assert.rejects(settled(callText(server, 'wait', {}, request), 'the end'), reason);
    while ((await callText(server, 'cancelled')) !== '1'); // it notices by the end of a connection
  });

  test('that no request can be made to is not reached, and the reason is said', async () => {
    await using server = open(at('http://127.0.0.1:9/mcp')); // a port that fetch rejects
    await assert.rejects(server.tools(unhurried), { code: 'server.unreachable', message: /\(bad port\)/ });
  });

  test('that describes a tool otherwise is not called as before', async () => {
    await using web = await serveOdd();
    await using server = open(at(web.url));
    const plain = await toolOf(server, 'plain');
    await callText(server, 'redefine');
    web.notifyChanged();
    const changed = async (): Promise<void> => {
      for (;;) await server.call(plain, {}, unhurried); // notifications use a separate connection
    };
    await assert.rejects(settled(changed(), 'the news'), { code: 'server.changed' });
  });

  const failing: readonly (readonly [
    what: string,
    tool: string,
    input: object,
    code: string,
    message: RegExp,
  ])[] = [
    ['too much', 'large', { bytes: 70_000_000 }, 'server.failed', /64 MB/],
    ['an error', 'throw', {}, 'server.failed', /The disk is full/],
    ['what does not fit', 'wrong', {}, 'server.failed', /output schema/],
  ];
  test('fails a request that it answers with nonsense, and continues', async () => {
    await using web = await serveOdd();
    await using server = open(at(web.url));
    for (const [what, tool, input, code, message] of failing) {
      await assert.rejects(callText(server, tool, { ...input }), { code, message }, what);
      assert.match(await callText(server, 'plain', { still: 'there' }), /still/);
    }
  });

  test('is waited for while it is not ready', async () => {
    let refused = 0;
    await using web = await serveOdd(() =>
      refused++ < 4 ? new Response('busy', { status: 503 }) : undefined,
    );
    await using server = open(at(web.url));
    assert.match(await callText(server, 'plain', { late: 1 }), /late/);
  });

  const statuses: readonly (readonly [status: number, code: string, hint: RegExp])[] = [
    [401, 'server.denied', /"bearer", "headers" or "oauth" .*server "web"/],
    [403, 'server.denied', /"bearer", "headers" or "oauth"/],
    [404, 'server.unreachable', /address/],
  ];
  for (const [status, code, hint] of statuses) {
    test(`is not there for us: ${status}`, async () => {
      await using web = await serveWeb(() => new Response('token abc-secret is wrong', { status }));
      await using server = open(at(`${web.origin}/mcp`, { headers: { 'x-key': 'abc-secret' } }));
      await assert.rejects(server.tools(unhurried), (thrown: Error & { code: string; hint: string }) => {
        assert.equal(thrown.code, code);
        assert.match(thrown.hint, hint);
        assert.doesNotMatch(thrown.message, /abc-secret/);
        return true;
      });
    });
  }

  test('reports what it got, or hides what it says: a failure has neither', async () => {
    const secrets = { 'x-key': 'abc-secret', authorization: 'Bearer qwertyuiop' };
    const says = 'key abc-secret, token qwertyuiop \u001b[2J\u202e';
    await using web = await serveWeb(() => new Response(says, { status: 418 }));
    await using server = open(at(`${web.origin}/mcp`, { headers: secrets }));
    await assert.rejects(server.tools(unhurried), {
      code: 'server.failed',
      message: /\(HTTP 418\): .*key \[redacted\], token \[redacted\] \\u\{1b\}\[2J\\u\{202e\}\.$/,
    });
  });

  for (const status of [301, 302, 303, 307, 308]) {
    test(`that sends us elsewhere is not followed, and no header goes there: ${status}`, async () => {
      let visits = 0;
      await using other = await serveWeb(() => {
        visits++;
        return new Response('', { status: 404 });
      });
      const headers = { location: `${other.origin}/mcp?from=web` };
      await using web = await serveWeb(() => new Response('', { status, headers }));
      await using server = open(at(`${web.origin}/mcp`, { headers: { 'x-key': 'abc-secret' } }));
      await assert.rejects(server.tools(unhurried), (thrown: Error & { code: string; hint: string }) => {
        assert.equal(thrown.code, 'server.unreachable');
        assert.ok(thrown.message.includes(` to ${other.origin}/mcp (HTTP ${status})`), thrown.message);
        assert.match(thrown.hint, /address/);
        return true;
      });
      assert.equal(visits, 0);
    });
  }

  test('that answers a byte at a time is given up', async () => {
    for (const type of ['application/json', 'text/event-stream']) {
      await using web = await serveWeb(() => new Response(drip(), { headers: { 'content-type': type } }));
      await using server = open(at(`${web.origin}/mcp`, { timeoutMs: 500 }));
      await assert.rejects(settled(server.tools(unhurried), 'the end'), { code: 'limit.time' }, type);
    }
  });

  test('gets the headers of its settings', async () => {
    await using web = await serveOdd((request) =>
      request.headers.get('x-key') === 'right' ? undefined : new Response('', { status: 401 }),
    );
    await using server = open(at(web.url, { headers: { 'x-key': 'right' } }));
    assert.match(await callText(server, 'plain', { in: 1 }), /in/);
  });

  test('whose stream ends without an answer is lost', async () => {
    const empty = { status: 200, headers: { 'content-type': 'text/event-stream' } };
    await using web = await serveOdd(async (request) =>
      (await request.text()).includes('"name":"wait"') ? new Response(': nothing\n\n', empty) : undefined,
    );
    await using server = open(at(web.url));
    await assert.rejects(settled(callText(server, 'wait'), 'the end'), { code: 'server.unreachable' });
    assert.match(await callText(server, 'plain', { again: 1 }), /again/);
  });
});

describe('a server with sessions', () => {
  test('is reached again after it was restarted, and says so where it dies in a call', async () => {
    const port = await freePort();
    let running = await startEverything(port);
    await using server = open(at(`http://127.0.0.1:${port}/mcp`));
    try {
      assert.match(await callText(server, 'echo', { message: 'one' }), /one/);
      running.kill('SIGKILL');
      await once(running, 'exit');
      running = await startEverything(port);
      assert.match(await callText(server, 'echo', { message: 'two' }), /two/);
      const long = callText(
        server,
        'trigger-long-running-operation',
        { duration: 600, steps: 6000 },
        { ...unhurried, onProgress: () => running.kill('SIGKILL') },
      );
      await assert.rejects(settled(long, 'the end'), { code: 'server.unreachable' });
    } finally {
      running.kill('SIGKILL');
    }
  });
});

/** Streams spaces without end. */
function drip(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      controller.enqueue(Buffer.from(' '));
    },
  });
}

async function freePort(): Promise<number> {
  await using web = await serveWeb(() => undefined);
  return Number(new URL(web.origin).port);
}

async function startEverything(port: number): Promise<ReturnType<typeof spawn>> {
  const program = `${packageFolder}/node_modules/@modelcontextprotocol/server-everything/dist/index.js`;
  const child = spawn(process.execPath, [program, 'streamableHttp'], {
    env: { PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  for await (const chunk of child.stderr) if (String(chunk).includes('listening')) break;
  return child;
}
