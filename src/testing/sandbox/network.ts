import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { stage, type OpenSandbox } from './test-sandbox.ts';

// A script that connects to a port or a socket and prints `connected` or an error code.
const connect = `
  const [to] = process.argv.slice(1);
  const target = /^[0-9]+$/.test(to) ? { port: Number(to), host: '127.0.0.1' } : { path: to.replace('@', '\\0') };
  require('node:net').connect(target)
    .on('connect', () => { console.log('connected'); process.exit(); })
    .on('error', (fault) => console.log(fault.code));
`;

/** Registers tests that check that processes cannot reach the host's network. */
export function checkNetwork(open: OpenSandbox): void {
  test('no network without a granted host', async () => {
    await using at = await stage(open);
    await using server = await listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.address() as AddressInfo;
    assert.equal((await at.node(connect, String(port))).stdout, 'ECONNREFUSED\n');
    const lookUp =
      "require('node:dns').lookup('example.org', (fault) => console.log(fault ? 'none' : 'found'))";
    assert.equal((await at.node(lookUp)).stdout, 'none\n');
    const outside =
      "require('node:net').connect(53, '8.8.8.8').on('error', (fault) => console.log(fault.code))";
    assert.equal((await at.node(outside)).stdout, 'ENETUNREACH\n');
  });

  test('sockets of other processes are out of reach', async () => {
    await using at = await stage(open);
    const path = join(at.outside, 'socket');
    await using file = await listen({ path });
    assert.equal((await at.node(connect, file.address() as string)).stdout, 'ENOENT\n');
    const name = `skilled-contract-${process.pid}`;
    await using nameless = await listen({ path: `\0${name}` });
    assert.ok(nameless.listening);
    assert.equal((await at.node(connect, `@${name}`)).stdout, 'ECONNREFUSED\n');
  });

  test('sockets of other processes are out of reach in granted folders too', async () => {
    const names = ['deep/app.sock', '.vscode/tool.sock'];
    await using at = await stage(open, (_, outside) => ({ read: [outside] }));
    await using servers = new AsyncDisposableStack();
    for (const name of names) {
      mkdirSync(dirname(join(at.workspace, name)));
      servers.use(await listen({ path: join(at.workspace, name) }));
    }
    servers.use(await listen({ path: join(at.outside, 'other.sock') }));
    for (const name of [...names, join(at.outside, 'other.sock')])
      assert.doesNotMatch((await at.node(connect, name)).stdout, /connected/, name);
    await at.run('mv deep/app.sock deep/moved.sock; ln deep/app.sock linked.sock; mv deep moved');
    for (const name of ['linked.sock', 'moved/app.sock', 'moved/moved.sock', 'deep/moved.sock'])
      assert.doesNotMatch((await at.node(connect, name)).stdout, /connected/, name);
  });

  test('commands can connect to each other, and replace a socket that was left', async () => {
    await using at = await stage(open);
    const serve = `require('node:net').createServer((socket) => socket.destroy())
      .listen('own.sock', () => console.log('listening'))`;
    for (let time = 0; time < 2; time += 1) {
      const script = `require('node:fs').rmSync('own.sock', { force: true }); ${serve}`;
      const server = await at.sandbox.start({ program: process.execPath, arguments: ['--eval', script] });
      for await (const bytes of server.output) if (String(bytes).includes('listening')) break;
      assert.equal((await at.node(connect, 'own.sock')).stdout, 'connected\n');
      await server.kill();
      assert.equal((await at.node(connect, 'own.sock')).stdout, 'ECONNREFUSED\n');
    }
  });

  test('a process can connect to itself', async () => {
    await using at = await stage(open);
    const script = `
      const server = require('node:net').createServer((socket) => socket.end('hello'));
      server.listen(0, 'localhost', () => require('node:net').connect(server.address().port, 'localhost')
        .on('data', (bytes) => { console.log(String(bytes)); process.exit(); }));
    `;
    assert.equal((await at.node(script)).stdout, 'hello\n');
  });

  test('with every host granted, the network of the host machine is available', async () => {
    await using at = await stage(open, { hosts: ['*'] });
    await using server = await listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.address() as AddressInfo;
    assert.equal((await at.node(connect, String(port))).stdout, 'connected\n');
  });
}

async function listen(where: object): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  server.listen(where);
  await once(server, 'listening');
  return server;
}
