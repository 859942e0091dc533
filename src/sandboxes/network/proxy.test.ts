import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request, type RequestListener, type ServerResponse } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { tree } from '../../../test/support/tree.ts';
import { createDial, readNetworkReach, type Resolve } from './dial.ts';
import { openProxy } from './proxy.ts';

interface Stage extends AsyncDisposable {
  /** The port of a server that the proxy may reach. */
  readonly port: number;
  readonly proxy: string;
  /** Sends bytes to the proxy, and resolves to everything that it sends until it closes the connection. */
  say(bytes: string): Promise<string>;
}

const echo: RequestListener = (asked, answer) => {
  const { method = '', url = '', headers } = asked;
  void text(asked).then((body) => answer.end(JSON.stringify({ method, url, headers, body })));
};

async function openStage(
  hosts: (port: number) => readonly string[],
  {
    listener = echo,
    resolve,
    longestSilenceMs,
  }: { listener?: RequestListener; resolve?: Resolve; longestSilenceMs?: number } = {},
): Promise<Stage> {
  const folder = tree();
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const path = folder.at('proxy');
  const dial = createDial(readNetworkReach(hosts(port)), resolve);
  const proxy = await openProxy(path, dial, longestSilenceMs);
  return {
    port,
    proxy: path,
    async say(bytes) {
      const socket = connect(path);
      socket.write(bytes);
      return text(socket);
    },
    async [Symbol.asyncDispose]() {
      await proxy.close();
      await proxy.close(); // calling it again has no effect
      server.closeAllConnections();
      server.close();
      folder[Symbol.dispose]();
    },
  };
}

const here: Resolve = async () => [{ address: '127.0.0.1', family: 4 }];
const local = (port: number): readonly string[] => ['one.test', '*.two.test', `127.0.0.1:${port}`];
const close = 'connection: close\r\n\r\n';

describe('a proxy', { concurrency: true }, () => {
  test('asks a granted host the same, without what concerned the proxy', async () => {
    await using stage = await openStage(local, { resolve: here });
    const head = `POST http://one.test:${stage.port}/a?b=c HTTP/1.1\r\nhost: elsewhere.test\r\nproxy-authorization: x\r\n`;
    const answer = await stage.say(
      `${head}x-mine: 1\r\nx-hop: 2\r\nconnection: close, x-hop\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    );
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
    const { headers, ...rest } = JSON.parse(/\{.*\}/.exec(answer)?.[0] ?? '') as {
      headers: Record<string, string>;
    };
    assert.deepEqual(rest, { method: 'POST', url: '/a?b=c', body: 'hello' });
    assert.equal(headers['host'], `one.test:${stage.port}`);
    assert.equal(headers['x-mine'], '1');
    assert.ok(!('x-hop' in headers) && !('proxy-authorization' in headers));
  });

  test('refuses a host that was not granted and names it, in both ways of asking', async () => {
    let asked = 0;
    await using stage = await openStage(local, { resolve: here, listener: () => (asked += 1) });
    const { port } = stage;
    for (const request of [
      `GET http://evil.test:${port}/ HTTP/1.1\r\nhost: one.test\r\n`,
      `CONNECT evil.test:${port} HTTP/1.1\r\nhost: one.test:${port}\r\n`,
      `GET http://one.test@evil.test:${port}/ HTTP/1.1\r\nhost: one.test\r\n`,
      `CONNECT EVIL.test.:${port} HTTP/1.1\r\nhost: x\r\n`,
    ]) {
      const answer = await stage.say(request + close);
      assert.match(
        answer,
        /^HTTP\/1\.1 403 Host not granted\r\n[^]*\r\n\r\nThis sandbox was not granted access to evil\.test:\d+/,
      );
    }
    assert.equal(asked, 0);
  });

  test('refuses addresses that were not granted, however they are spelled', async () => {
    await using stage = await openStage(() => ['one.test'], { resolve: here });
    for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', 'localhost']) {
      const answers = await Promise.all([
        stage.say(`GET http://${host}:${stage.port}/ HTTP/1.1\r\nhost: one.test\r\n${close}`),
        stage.say(`CONNECT ${host}:${stage.port} HTTP/1.1\r\nhost: one.test\r\n${close}`),
      ]);
      for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 403 /, host);
    }
  });

  test('refuses a granted name that leads into the machine or its network', async () => {
    for (const address of [
      '127.0.0.1',
      '10.0.0.1',
      '169.254.169.254',
      '::1',
      'fe80::1',
      '::ffff:127.0.0.1',
    ]) {
      const family = address.includes(':') ? 6 : 4;
      const resolve: Resolve = async () => [{ address, family }];
      await using stage = await openStage(() => ['one.test'], { resolve });
      const answer = await stage.say(`CONNECT one.test:${stage.port} HTTP/1.1\r\nhost: x\r\n\r\n`);
      assert.match(answer, /^HTTP\/1\.1 403 [^]*one\.test resolves to an address/, address);
    }
  });

  test('resolves a name once for a connection, and connects to what it checked', async () => {
    let times = 0;
    const resolve: Resolve = async () => {
      times += 1;
      return [{ address: times === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }];
    };
    await using stage = await openStage(local, { resolve });
    const ask = `GET http://one.test:${stage.port}/ HTTP/1.1\r\nhost: x\r\n${close}`;
    assert.match(await stage.say(ask), /^HTTP\/1\.1 200 /);
    assert.equal(times, 1);
    assert.match(await stage.say(ask), /^HTTP\/1\.1 403 /);
  });

  test('judges every request of a connection that stays open', async () => {
    await using stage = await openStage(local, { resolve: here });
    const to = (host: string): string => `GET http://${host}:${stage.port}/ HTTP/1.1\r\nhost: one.test\r\n`;
    const answer = await stage.say(`${to('one.test')}\r\n${to('a.two.test')}\r\n${to('two.test')}${close}`);
    assert.deepEqual(answer.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 403']);
  });

  test('passes bytes on as they are, also those that come with the request, and ends each direction by itself', async () => {
    await using folder = Object.assign(new AsyncDisposableStack(), { tree: tree() });
    folder.use(folder.tree);
    const server = createTcpServer({ allowHalfOpen: true }, (socket) => {
      void text(socket).then((all) => socket.end(`got ${all}`));
    }).listen(0, '127.0.0.1');
    folder.defer(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const dial = createDial(readNetworkReach([`localhost:${port}`]));
    const proxy = await openProxy(folder.tree.at('proxy'), dial);
    folder.defer(() => proxy.close());
    const socket = connect({ path: folder.tree.at('proxy'), allowHalfOpen: true });
    socket.write(`CONNECT localhost:${port} HTTP/1.1\r\nhost: x\r\n\r\nearly `);
    socket.end('late');
    assert.match(await text(socket), /^HTTP\/1\.1 200 Connection Established\r\n\r\ngot early late$/);
  });

  test('says what is wrong with a request that is none for a proxy', async () => {
    await using stage = await openStage(local, { resolve: here });
    const wrong = [
      'GET / HTTP/1.1',
      'GET https://one.test/ HTTP/1.1',
      'CONNECT one.test HTTP/1.1',
      'CONNECT :80 HTTP/1.1',
    ];
    for (const line of wrong) {
      assert.match(await stage.say(`${line}\r\nhost: x\r\n${close}`), /^HTTP\/1\.1 400 /, line);
    }
    const long = `GET http://one.test/ HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n${close}`;
    assert.match(await stage.say(long), /^HTTP\/1\.1 431 /);
  });

  test('says that a host does not answer', async () => {
    await using stage = await openStage(() => ['localhost', 'nowhere.test'], {
      resolve: async (host) => {
        if (host === 'localhost') return [{ address: '127.0.0.1', family: 4 }];
        throw new Error('ENOTFOUND');
      },
    });
    const shut = createTcpServer().listen(0, '127.0.0.1');
    await once(shut, 'listening');
    const { port } = shut.address() as AddressInfo;
    await new Promise((resolve) => shut.close(resolve));
    const refused = await stage.say(`CONNECT localhost:${port} HTTP/1.1\r\nhost: x\r\n\r\n`);
    assert.match(refused, /^HTTP\/1\.1 502 [^]*localhost could not be reached: ECONNREFUSED/);
    const unknown = await stage.say(`GET http://nowhere.test/ HTTP/1.1\r\nhost: x\r\n${close}`);
    assert.match(unknown, /^HTTP\/1\.1 502 [^]*nowhere\.test could not be reached: ENOTFOUND/);
  });

  test('breaks off an answer whose host breaks off', async () => {
    const listener: RequestListener = (_asked, answer) => {
      answer.writeHead(200, { 'content-length': '100' });
      answer.write('half', () => answer.socket?.resetAndDestroy());
    };
    await using stage = await openStage(local, { resolve: here, listener });
    const asked = request({
      socketPath: stage.proxy,
      path: `http://one.test:${stage.port}/`,
      headers: { connection: 'close' },
    }).end();
    await assert.rejects(
      once(asked, 'response').then(([answer]) => text(answer as NodeJS.ReadableStream)),
      { code: 'ECONNRESET' },
    );
  });

  test('opens a maximum number of connections, however they are requested', async () => {
    const waiting: ServerResponse[] = [];
    const listener: RequestListener = (_asked, answer) => {
      waiting.push(answer);
      if (waiting.length === 256) for (const one of waiting) one.end();
    };
    await using stage = await openStage(local, { resolve: here, listener });
    const ask = `GET http://one.test:${stage.port}/ HTTP/1.1\r\nhost: x\r\n`;
    const answers = await stage.say(`${`${ask}\r\n`.repeat(299)}${ask}${close}`);
    assert.equal(answers.match(/HTTP\/1\.1 200 /g)?.length, 256);
    assert.match(answers, /HTTP\/1\.1 503 /);
  });

  test('hangs up on anyone who is silent for too long', async () => {
    await using stage = await openStage(local, { resolve: here, longestSilenceMs: 300 });
    await stage.say(''); // it sends nothing, and ends only when the proxy closes the connection
    await stage.say(`CONNECT one.test:${stage.port} HTTP/1.1\r\nhost: x\r\n\r\n`);
  });

  test('that is closed hangs up on everybody', async () => {
    const folder = tree();
    const sockets: Socket[] = [];
    const server = createTcpServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const path = folder.at('proxy');
    const proxy = await openProxy(path, createDial(readNetworkReach([`localhost:${port}`])));
    const client = connect(path);
    client.write(`CONNECT localhost:${port} HTTP/1.1\r\nhost: x\r\n\r\n`);
    await once(client, 'data');
    const [reached] = sockets;
    assert.ok(reached);
    reached.on('error', () => undefined); // a reset also ends the connection
    const gone = [once(client, 'close'), once(reached.resume(), 'close')];
    await proxy.close();
    await Promise.all(gone);
    await assert.rejects(once(connect(path), 'connect'));
    server.close();
    folder[Symbol.dispose]();
  });
});
