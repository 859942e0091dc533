import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { settled } from '../support/deadline.ts';
import { openServerStage } from '../support/server-stage.ts';

/** Sends bytes over a connection and resolves to everything that the server sends back. */
async function sendRaw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined); // The server may close the connection while bytes are sent.
  socket.write(text);
  await settled(closed);
  return received;
}

const statusesIn = (text: string): readonly number[] =>
  [...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status));

describe('a server without keys on this machine', () => {
  test('refuses web pages of other sites and names that point at this machine', async () => {
    await using stage = await openServerStage({ keys: false });
    const { port } = new URL(stage.url);
    const send = async (headers: Record<string, string>, method = 'POST'): Promise<number> => {
      const body = '{"skill":"echo"}';
      const head = { host: `127.0.0.1:${port}`, 'content-type': 'application/json', ...headers };
      const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
      const length = method === 'POST' ? `content-length: ${body.length}\r\n` : '';
      const request = `${method} /v1/runs HTTP/1.1\r\n${lines.join('')}${length}connection: close\r\n\r\n`;
      return statusesIn(await sendRaw(stage.url, method === 'POST' ? request + body : request))[0] ?? 0;
    };
    assert.equal(await send({}), 202);
    assert.equal(await send({ host: `localhost:${port}` }), 202);
    assert.equal(await send({ origin: `http://127.0.0.1:${port}` }), 202);
    for (const origin of [
      'https://evil.example',
      'null',
      'http://localhost:1',
      `https://127.0.0.1.evil.example`,
    ])
      assert.equal(await send({ origin }), 403, origin);
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1.nip.io',
      'localhost.evil.example',
      'a b',
    ])
      assert.ok([400, 421].includes(await send({ host })), host);
    assert.equal(await send({ 'sec-fetch-site': 'cross-site' }), 403);
    assert.equal(await send({ 'sec-fetch-site': 'cross-site' }, 'GET'), 403);
    assert.equal(await send({ 'content-type': 'text/plain' }), 415);
    assert.equal(await send({ 'content-encoding': 'gzip' }), 415);
  });

  test('refuses requests that two programs could read differently', async () => {
    await using stage = await openServerStage({ keys: false });
    const { host } = new URL(stage.url);
    const end = 'connection: close\r\n\r\n';
    for (const request of [
      `POST /v1/runs HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n${end}0\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n`,
      `POST /v1/runs HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 5\r\ncontent-length: 6\r\n${end}hello`,
      `GET /v1/runs HTTP/1.1\r\nhost: ${host}\r\nhost: evil.example\r\n${end}`,
      `GET /v1/runs HTTP/1.1\r\n${end}`,
      `GET /v1/runs HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer a\r\nauthorization: Bearer b\r\n${end}`,
      `GET /v1/runs HTTP/1.1\r\nhost: ${host}\r\nx-a : b\r\n${end}`,
      `GET /v1//runs HTTP/1.1\r\nhost: ${host}\r\n${end}`,
      `GET /v1/runs/%2e%2e%2fkeys HTTP/1.1\r\nhost: ${host}\r\n${end}`,
      `GET /v1/runs HTTP/1.1\r\nhost: ${host}\r\nx: ${'a'.repeat(20_000)}\r\n${end}`,
      'nonsense\r\n\r\n',
    ]) {
      const statuses = statusesIn(await sendRaw(stage.url, request));
      assert.equal(statuses.length, 1, `${request}: ${statuses.join(' ')}`);
      assert.ok((statuses[0] ?? 0) >= 400 && (statuses[0] ?? 0) < 500, `${request}: ${statuses.join(' ')}`);
    }
    assert.equal((await fetch(`${stage.url}/healthz`)).status, 200);
  });
});

describe('the sign-in with the printed address', () => {
  test('works once, and its cookie acts only from the pages of the server', async () => {
    await using stage = await openServerStage();
    const address = `${stage.url}/sign-in?token=${stage.server.issueToken()}`;
    const signedIn = await fetch(address, { redirect: 'manual' });
    assert.equal(signedIn.status, 303);
    const set = signedIn.headers.get('set-cookie') ?? '';
    for (const part of ['HttpOnly', 'SameSite=Strict', 'Path=/']) assert.ok(set.includes(part), set);
    assert.equal((await fetch(address, { redirect: 'manual' })).status, 401);
    const cookie = set.split(';')[0] ?? '';
    const post = async (headers: Record<string, string>): Promise<number> => {
      const all = { 'content-type': 'application/json', ...headers };
      return (await fetch(`${stage.url}/v1/runs`, { method: 'POST', headers: all, body: '{"skill":"echo"}' }))
        .status;
    };
    assert.equal((await fetch(`${stage.url}/v1/runs`, { headers: { cookie } })).status, 200);
    assert.equal(await post({ cookie, origin: stage.url }), 202);
    assert.equal(await post({ cookie }), 403, 'no browser page of this server sent it');
    assert.equal(await post({ cookie, origin: 'https://evil.example' }), 403);
    assert.equal(await post({ cookie: `${cookie}; ${cookie}x`, origin: stage.url }), 401);
    assert.equal(await post({ cookie: `${cookie}x`, origin: stage.url }), 401);
  });
});
