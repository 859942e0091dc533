import assert from 'node:assert/strict';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { networkInterfaces } from 'node:os';
import { dirname } from 'node:path';
import type { AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { gone } from '../../../test/support/process-gone.ts';
import { selfSigned } from '../../../test/support/self-signed.ts';
import type { Resolve } from './dial.ts';
import { openNetwork, type Network } from './network.ts';

const here: Resolve = async () => [{ address: '127.0.0.1', family: 4 }];
const node = process.execPath;
const hasTools = ['/usr/bin/bwrap', '/usr/bin/curl'].every((tool) => existsSync(tool));

describe('a sandbox that may reach some hosts', { concurrency: true, skip: !hasTools }, () => {
  test('reaches them by curl and by fetch, and no others', async () => {
    const asked: string[] = [];
    await using server = await serve((request, response) => {
      asked.push(request.headers.host ?? '');
      response.end('hello');
    });
    const { port } = server;
    const hosts = ['one.test', '*.two.test', `127.0.0.1:${port}`];
    await using network = await opened(hosts);
    const urlsOf = (...names: string[]): readonly string[] => names.map((name) => `http://${name}:${port}/`);
    const granted = urlsOf('one.test', 'a.two.test', '127.0.0.1');
    assert.equal((await run(network, 'curl', ['-sS', ...granted])).stdout, 'hello'.repeat(3));
    const script = `for (const url of ${JSON.stringify(granted)}) process.stdout.write(await (await fetch(url)).text());`;
    const fetched = await run(network, node, ['--input-type=module', '-e', script]);
    assert.equal(fetched.stdout, 'hello'.repeat(3));
    assert.equal(asked.length, 6);
    const others = ['two.test', 'evil.test', '127.0.0.2'];
    const refused = await run(network, 'curl', ['-sS', ...urlsOf(...others)]);
    const said = refused.stdout.match(/^This sandbox was not granted access to \S+(?=\. )/gm);
    assert.deepEqual(
      said,
      others.map((name) => `This sandbox was not granted access to ${name}:${port}`),
    );
    const tunnel = await run(network, 'curl', ['-sS', `https://evil.test:${port}/`]);
    assert.match(tunnel.stderr, /403/);
    assert.equal(asked.length, 6);
  });

  test('has no other way out', async () => {
    await using server = await serve((_request, response) => response.end('hello'), '0.0.0.0');
    await using network = await opened(['one.test', `localhost:${server.port}`]);
    const outer = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    const addresses = [
      '127.0.0.1',
      ...outer.filter(({ internal }) => !internal).map(({ address }) => address),
    ];
    const script = `
      const { connect } = await import('node:net');
      const { lookup } = await import('node:dns/promises');
      for (const host of ${JSON.stringify(addresses)}) await new Promise((resolve) => connect(${server.port}, host)
        .on('connect', () => { console.log('connected to', host); resolve(); }).on('error', resolve));
      await lookup('one.test').then(console.log, () => undefined);
      console.log('done');`;
    const { stdout } = await run(network, node, ['--input-type=module', '-e', script]);
    assert.equal(stdout, 'done\n');
    const noProxy = await run(network, 'curl', ['-sS', '--noproxy', '*', `http://localhost:${server.port}/`]);
    assert.equal(noProxy.code, 7);
  });

  test('speaks TLS with them end to end', async () => {
    await using server = await listen(
      createTlsServer(selfSigned, (request, response) => {
        response.end(`hello ${request.headers.host ?? ''}`);
      }),
    );
    await using network = await opened(['one.test', `127.0.0.1:${server.port}`]);
    const url = `https://one.test:${server.port}/`;
    assert.equal((await run(network, 'curl', ['-sSk', url])).stdout, `hello one.test:${server.port}`);
  });

  test('moves a lot in both directions', async () => {
    const sent = randomBytes(8 * 1024 * 1024);
    const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
    await using server = await serve((request, response) => {
      void buffer(request).then((got) => {
        response.setHeader('x-digest', digest(got));
        response.end(sent);
      });
    });
    await using network = await opened([`localhost:${server.port}`]);
    for (const more of [[], ['--proxytunnel']]) {
      const url = `http://localhost:${server.port}/`;
      const args = [
        '-sS',
        ...more,
        '--data-binary',
        '@-',
        '-H',
        'expect:',
        '-o',
        '-',
        '-w',
        '%{stderr}%header{x-digest}',
        url,
      ];
      const { bytes, stderr } = await run(network, 'curl', args, sent);
      assert.deepEqual([digest(bytes), stderr], [digest(sent), digest(sent)]);
    }
  });

  test('keeps its own servers to itself', async () => {
    await using network = await opened(['one.test']);
    const script = `
      const { createServer } = await import('node:http');
      const server = createServer((request, response) => response.end('own')).listen(0, '127.0.0.1', async () => {
        for (const host of ['localhost', '127.0.0.1'])
          console.log(await (await fetch('http://' + host + ':' + server.address().port)).text());
        server.close();
      });`;
    const { stdout, stderr } = await run(network, node, ['--input-type=module', '-e', script]);
    assert.deepEqual([stdout, stderr], ['own\nown\n', '']);
  });

  test('runs the command as if nothing were in between', async () => {
    await using network = await opened(['one.test']);
    const given = randomBytes(300_000);
    assert.ok((await run(network, 'cat', [], given)).bytes.equals(given));
    const args = ['$HOME', '`id`', "a'b", '--version', '', '*'];
    assert.equal((await run(network, 'printf', ['%s\\n', ...args])).stdout, `${args.join('\n')}\n`);
    const shell = (script: string): Promise<Ran> => run(network, 'sh', ['-c', script]);
    const { code, stdout, stderr } = await shell('echo out; echo err >&2; exit 7');
    assert.deepEqual([code, stdout, stderr], [7, 'out\n', 'err\n']);
    assert.equal((await shell('kill -KILL $$')).code, 137);
    assert.equal((await shell('kill -TERM $PPID; sleep 3600')).code, 143);
    const missing = await run(network, 'no-such-program', []);
    assert.equal(missing.code, 127);
    assert.match(missing.stderr, /^no-such-program: /);
  });

  test('hangs up when it is killed, and leaves nothing', async () => {
    const reached = Promise.withResolvers<undefined>();
    const left = Promise.withResolvers<undefined>();
    await using server = await serve((request, response) => {
      response.write('wait');
      reached.resolve(undefined);
      request.socket.on('close', () => left.resolve(undefined));
    });
    const network = await openNetwork([`localhost:${server.port}`]);
    const folder = dirname(network.bind[1] ?? '');
    const child = start(network, 'sh', ['-c', `echo $$; curl -sSN http://localhost:${server.port}/`]);
    await reached.promise;
    child.kill('SIGKILL');
    await left.promise;
    await gone(child.pid ?? 0);
    await network.close();
    assert.equal(existsSync(folder), false);
  });

  test('of many at once each has its own way out', async () => {
    await using server = await serve((request, response) => response.end(request.url));
    const answers = Array.from({ length: 8 }, async (_, index) => {
      await using network = await opened([index % 2 === 0 ? `127.0.0.1:${server.port}` : 'one.test']);
      const url = `http://127.0.0.1:${server.port}/${index}`;
      return (await run(network, 'curl', ['-sS', '--noproxy', '', url])).stdout.slice(0, 10);
    });
    const refused = 'This sandbox'.slice(0, 10);
    const expected = ['/0', refused, '/2', refused, '/4', refused, '/6', refused];
    assert.deepEqual(await Promise.all(answers), expected);
  });
});

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly bytes: Buffer;
}

async function run(network: Network, program: string, args: string[], stdin?: Uint8Array): Promise<Ran> {
  const child = start(network, program, args);
  child.stdin.end(stdin);
  const [bytes, stderr, [code]] = await Promise.all([
    buffer(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout: bytes.toString(), stderr, bytes };
}

/** Starts a program in a sandbox with the system and Node, without a network of its own. */
function start(network: Network, program: string, args: readonly string[]): ChildProcessWithoutNullStreams {
  const { program: first, arguments: all } = network.wrap(program, args);
  const folder = dirname(dirname(node));
  const system = ['/usr', '/bin', '/lib', '/lib64', '/sbin', '/etc/hosts', folder].filter((path) =>
    existsSync(path),
  );
  const variables = { PATH: '/usr/bin:/bin', ...network.environment };
  return spawn('bwrap', [
    ...[
      '--unshare-all',
      '--die-with-parent',
      '--proc',
      '/proc',
      '--dev',
      '/dev',
      '--tmpfs',
      '/tmp',
      '--clearenv',
    ],
    ...system.flatMap((path) => ['--ro-bind', path, path]),
    ...Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]),
    ...network.bind,
    ...[first, ...all],
  ]);
}

async function opened(hosts: readonly string[]): Promise<Network & AsyncDisposable> {
  const network = await openNetwork(hosts, here);
  return { ...network, [Symbol.asyncDispose]: () => network.close() };
}

function serve(listener: RequestListener, address?: string): Promise<AsyncDisposable & { port: number }> {
  return listen(createServer(listener), address);
}

async function listen(server: Server, address = '127.0.0.1'): Promise<AsyncDisposable & { port: number }> {
  server.listen(0, address);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
