import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { stage, type OpenSandbox } from './test-sandbox.ts';

// Connects to a port or a path and prints what comes of it.
const connect = `
  const [to] = process.argv.slice(1);
  const target = /^[0-9]+$/.test(to) ? { port: Number(to), host: '127.0.0.1' } : { path: to.replace('@', '\\0') };
  require('node:net').connect(target)
    .on('connect', () => { console.log('connected'); process.exit(); })
    .on('error', (fault) => console.log(fault.code));
`;

/** What processes must not reach of the network of their host. */
export function checkNetwork(open: OpenSandbox): void {
  test('without a granted host there is no network', async () => {
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

  test('sockets of other processes of the machine are out of reach', async () => {
    await using at = await stage(open);
    const path = join(at.outside, 'socket');
    await using file = await listen({ path });
    assert.equal((await at.node(connect, file.address() as string)).stdout, 'ENOENT\n');
    const name = `skilled-contract-${process.pid}`;
    await using nameless = await listen({ path: `\0${name}` });
    assert.ok(nameless.listening);
    assert.equal((await at.node(connect, `@${name}`)).stdout, 'ECONNREFUSED\n');
  });

  test('a process may talk to itself by the network', async () => {
    await using at = await stage(open);
    const script = `
      const server = require('node:net').createServer((socket) => socket.end('hello'));
      server.listen(0, 'localhost', () => require('node:net').connect(server.address().port, 'localhost')
        .on('data', (bytes) => { console.log(String(bytes)); process.exit(); }));
    `;
    assert.equal((await at.node(script)).stdout, 'hello\n');
  });

  test('with every host granted, the network is that of the machine', async () => {
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
