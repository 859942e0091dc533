import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../test/support/bubblewrap.ts';
import { minute, settled, until } from '../../test/support/deadline.ts';
import { serveWeb } from '../../test/support/odd-http-server.ts';
import { processesWith } from '../../test/support/processes-with.ts';
import {
  callText,
  open,
  packageFolder,
  stdioEndpoint,
  toolOf,
  unhurried,
  withPatience,
} from '../../test/support/tool-server-stage.ts';
import { tree } from '../../test/support/tree.ts';
import type { ServerEndpoint } from '../core/servers/tool-server.ts';

// The reference servers of the protocol's authors, and all that can go wrong with them.

const everything = '@modelcontextprotocol/server-everything';

interface Running extends AsyncDisposable {
  readonly endpoint: ServerEndpoint;
}

/** Starts a server for each connection. The last argument identifies its process. */
async function started(marker = 'here'): Promise<Running> {
  const endpoint = stdioEndpoint('npx', ['-y', everything, 'stdio', marker]);
  return { endpoint, [Symbol.asyncDispose]: async () => undefined };
}

/** Connects to a running server, which has a session for each client. */
async function reached(): Promise<Running> {
  const port = await freePort();
  const program = `${packageFolder}/node_modules/${everything}/dist/index.js`;
  const child = spawn(process.execPath, [program, 'streamableHttp'], {
    env: { PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  for await (const chunk of child.stderr) if (String(chunk).includes('listening')) break;
  const url = `http://127.0.0.1:${port}/mcp`;
  return {
    endpoint: { kind: 'http', name: 'everything', timeoutMs: minute, headers: {}, url },
    [Symbol.asyncDispose]: async () => void child.kill('SIGKILL'),
  };
}

async function freePort(): Promise<number> {
  await using web = await serveWeb(() => undefined);
  return Number(new URL(web.origin).port);
}

const ways = { 'over stdio': started, 'over streamable HTTP': reached };
const long = 'trigger-long-running-operation';

for (const [way, start] of Object.entries(ways))
  describe(`the server "everything" ${way}`, () => {
    test('lists, answers, says what is wrong, and tells progress', async () => {
      await using running = await start();
      await using server = open(running.endpoint);
      const names = (await server.tools(unhurried)).map(({ name }) => name);
      for (const name of ['echo', 'get-sum', 'get-tiny-image', long]) assert.ok(names.includes(name), name);
      assert.equal(await callText(server, 'echo', { message: 'hi' }), 'Echo: hi');
      const wrong = await server.call(await toolOf(server, 'get-sum'), { a: 'x' }, unhurried);
      assert.equal(wrong.isError, true);
      const progress: (readonly [number, number | undefined])[] = [];
      await callText(
        server,
        long,
        { duration: 0.3, steps: 3 },
        { ...unhurried, onProgress: ({ done, total }) => progress.push([done, total]) },
      );
      assert.deepEqual(progress, [
        [1, 3],
        [2, 3],
        [3, 3],
      ]);
    });

    test('releases a call when it is cancelled, and continues', async () => {
      await using running = await start();
      await using server = open(running.endpoint);
      const stop = new AbortController();
      const reason = new Error('no longer wanted');
      const begun = Promise.withResolvers<undefined>();
      const request = { signal: stop.signal, onProgress: () => begun.resolve(undefined) };
      const call = callText(server, long, { duration: 600, steps: 6000 }, request);
      call.catch(() => undefined); // it is checked below
      await begun.promise;
      stop.abort(reason);
      await assert.rejects(settled(call, 'the end'), reason);
      assert.equal(await callText(server, 'echo', { message: 'still' }), 'Echo: still');
    });

    test('is given up where it is slow, and continues', async () => {
      await using running = await start();
      const patience = { ms: minute };
      await using server = open(withPatience(running.endpoint, patience));
      assert.equal(await callText(server, 'echo', { message: 'there' }), 'Echo: there');
      patience.ms = 500;
      await assert.rejects(callText(server, long, { duration: 600, steps: 1 }), {
        code: 'limit.time',
        message: /did not answer within 0\.5 s\.$/,
        hint: /"timeoutSeconds"/,
      });
      patience.ms = minute;
      assert.equal(await callText(server, 'echo', { message: 'still' }), 'Echo: still');
    });
  });

test('a server that is killed in a call says so, and is there again for the next', async () => {
  const marker = randomUUID();
  await using running = await started(marker);
  await using server = open(running.endpoint);
  const kill = (): void => {
    for (const id of processesWith(marker, process.execPath)) process.kill(id, 'SIGKILL');
  };
  const request = { ...unhurried, onProgress: kill };
  const call = callText(server, long, { duration: 600, steps: 6000 }, request);
  await assert.rejects(settled(call, 'the end'), {
    code: 'server.unreachable',
    message: /^The server "odd" ended/,
  });
  assert.equal(await callText(server, 'echo', { message: 'again' }), 'Echo: again');
});

test('a file of 10 MB is cut to what is kept, and what was left out is counted', async () => {
  using files = tree({ 'large.txt': 'x'.repeat(10_000_000) });
  const endpoint = stdioEndpoint('mcp-server-filesystem', [files.path], { read: [files.path] });
  await using server = open(endpoint);
  const tool = await toolOf(server, 'read_text_file');
  const result = await server.call(tool, { path: files.at('large.txt') }, unhurried);
  const size = Buffer.byteLength(JSON.stringify(result));
  assert.ok(size > 1_000_000 && size <= 1024 * 1024, String(size));
  assert.ok((result.leftOut ?? 0) > 8_900_000, String(result.leftOut));
  assert.equal(result.isError, false);
});

test('no process is left when the last connection is closed', { skip: withoutBubblewrap }, async () => {
  const marker = randomUUID();
  await using running = await started(marker);
  const server = open(running.endpoint);
  assert.equal(await callText(server, 'echo', { message: 'hi' }), 'Echo: hi');
  assert.ok(processesWith(marker).length > 0);
  await server.close();
  await until(() => processesWith(marker).length === 0); // ended processes disappear a moment later
});
