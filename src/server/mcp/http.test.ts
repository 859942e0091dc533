import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { agentWith, done, hang, until, type TestSkill } from '../../../test/support/kernel.ts';
import { eras, openServerFixture, type ServerFixture } from '../../../test/support/mcp-clients.ts';
import { serveOverHttp } from './http.ts';
import { serveSkills } from './serve-skills.ts';

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};

/**
 * Sends an initialize request and resolves to its status. Does not use `fetch`, which refuses to send some
 * headers.
 */
function greet(
  { url, token }: ServerFixture,
  headers: Readonly<Record<string, string>> = {},
  path = '/mcp',
  body = JSON.stringify(hello),
  method = 'POST',
): Promise<number> {
  const all = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  };
  const sent = Promise.withResolvers<number>();
  const outgoing = request(new URL(path, url), { method, headers: all }, (response) => {
    sent.resolve(response.statusCode ?? 0);
    response.resume();
  });
  outgoing.on('error', sent.reject).end(body);
  return sent.promise;
}

describe('over HTTP', () => {
  test('only who comes by a name of this machine, from no foreign page, with the token, is let in', async () => {
    await using fixture = await openServerFixture(agentWith({}));
    const table: readonly [Readonly<Record<string, string>>, number][] = [
      [{}, 200],
      [{ origin: 'http://localhost:3000' }, 200],
      [{ host: 'evil.example' }, 403],
      [{ host: '127.0.0.1.evil.example:80' }, 403],
      [{ origin: 'https://evil.example' }, 403],
      [{ origin: 'null' }, 403],
      [{ authorization: '' }, 401],
      [{ authorization: 'Bearer wrong' }, 401],
      [{ authorization: `Bearer ${fixture.token} ` + 'x' }, 401],
      [{ authorization: `Basic ${fixture.token}` }, 401],
      [{ 'mcp-session-id': 'made-up' }, 404],
      [{ 'content-type': 'text/plain' }, 415],
    ];
    for (const [headers, expected] of table)
      assert.equal(await greet(fixture, headers), expected, JSON.stringify(headers));
    assert.equal(await greet(fixture, {}, '/'), 404);
    assert.equal(await greet(fixture, {}, '/mcp', '{"jsonrpc":'), 400);
    assert.equal(await greet(fixture, {}, '/mcp', `"${'x'.repeat(5 << 20)}"`), 413);
    assert.equal(await greet(fixture, { authorization: '' }, '/mcp', '', 'TRACE'), 401);
    assert.deepEqual(fixture.reports, [], 'who is not let in writes no line');
    assert.equal(await greet(fixture), 200);
  });

  for (const era of eras)
    test(`a client of revision ${era} that goes away cancels what it called`, async () => {
      let stopped = 0;
      const waits: TestSkill = (_input, scope) => {
        scope.signal.addEventListener('abort', () => (stopped += 1));
        return hang(scope.signal);
      };
      const agent = agentWith({ waits });
      await using fixture = await openServerFixture(agent);
      const client = await fixture.client(era);
      const call = client.callTool({ name: 'waits', arguments: { input: '' } });
      call.catch(() => undefined); // it is never answered
      await until(async () => (await agent.runs.list({ status: ['running'] })).length === 1);
      await client.close();
      await until(async () => (await agent.runs.list())[0]?.status === 'cancelled');
      assert.equal(stopped, 1);
    });

  for (const era of eras)
    test(`thousands of tools are listed page by page in revision ${era}`, async () => {
      const names = Array.from({ length: 450 }, (_, index) => `skill-${index}`);
      await using fixture = await openServerFixture(
        agentWith(Object.fromEntries(names.map((name) => [name, () => done()]))),
      );
      const client = await fixture.client(era);
      const { tools, nextCursor } = await client.listTools(undefined, { cacheMode: 'bypass' });
      const listed = tools.map(({ name }) => name).filter((name) => name.startsWith('skill-'));
      assert.deepEqual(listed, names.sort());
      assert.equal(nextCursor, undefined);
      const first = await client.request({ method: 'tools/list', params: {} });
      assert.equal(first.tools.length, 200);
      assert.ok(first.nextCursor);
    });

  test('it ends all work, and frees the port', async () => {
    const agent = agentWith({ waits: (_input, scope) => hang(scope.signal) });
    const fixture = await openServerFixture(agent);
    const [older, newer] = [await fixture.client('2025-11-25'), await fixture.client('2026-07-28')];
    const calls = [older, newer].map((client) =>
      client.callTool({ name: 'waits', arguments: { input: '' } }).catch(() => 'ended'),
    );
    await until(async () => (await agent.runs.list({ status: ['running'] })).length === 2);
    const served = await serveSkills(agent, { version: '1', report: () => undefined });
    const taken = { host: '127.0.0.1', port: Number(new URL(fixture.url).port), token: fixture.token };
    await assert.rejects(serveOverHttp(served, taken), {
      code: 'usage.bad-input',
      message: /is already in use/,
    });
    await fixture[Symbol.asyncDispose]();
    assert.deepEqual(await Promise.all(calls), ['ended', 'ended']);
    await using again = await serveOverHttp(served, taken);
    assert.equal(again.url, fixture.url);
    served[Symbol.dispose]();
  });
});
