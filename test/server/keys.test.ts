import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { modelEnded, modelStarted } from '../support/events.ts';
import { readAll } from '../../src/testing/store/test-store.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { until } from '../support/deadline.ts';
import { defineSkill, openServerStage, type ServerStage } from '../support/server-stage.ts';

const scopes = ['runs:read', 'runs:write', 'skills:read', 'sessions:read', 'approvals:decide'] as const;

const done = (text: string) => ({ status: 'done' as const, text });

const skills = [
  defineSkill({ name: 'echo', description: 'Repeats.', run: () => done('echo') }),
  defineSkill({
    name: 'chain',
    description: 'Calls echo.',
    run: async (_input, scope) => {
      const output = await scope.call('echo', 'x');
      return done(output.status === 'failed' ? output.error.code : output.text);
    },
  }),
  defineSkill({ name: 'wipe', description: 'Deletes.', permission: 'Wipe', run: () => done('wiped') }),
  defineSkill({
    name: 'ask',
    description: 'Asks.',
    run: async (_input, scope) => done(JSON.stringify(await scope.ask('Which?'))),
  }),
];

function openStage(options: Parameters<typeof openServerStage>[0] = {}): Promise<ServerStage> {
  return openServerStage(options, { skills, permissions: { allow: ['Wipe'], tools: ['Wipe'] } });
}

async function mcpClient(stage: ServerStage, key: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const headers = { Authorization: `Bearer ${key}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${stage.url}/mcp`), { requestInit: { headers } }),
  );
  return client;
}

describe('what a key allows holds over HTTP', () => {
  test('its skills: also for calls of skills, and in MCP', async () => {
    await using stage = await openStage();
    const limited = { name: 'few', user: 'ann', scopes, skills: ['CHAIN', 'wip*'] };
    const few = await stage.clientFor(limited);
    const { body } = await few.call('createRun', { body: { skill: 'chain', wait: true } });
    assert.equal(body['text'], 'policy.denied');
    const client = await mcpClient(stage, await stage.keyFor({ ...limited, name: 'two' }));
    const names = (list: readonly { readonly name: string }[]): readonly string[] =>
      list.map(({ name }) => name).sort();
    assert.deepEqual(names((await client.listTools()).tools), ['chain', 'wipe']);
    assert.deepEqual(names((await client.listPrompts()).prompts), ['chain', 'wipe']);
    await assert.rejects(client.callTool({ name: 'echo', arguments: {} }));
    await client.close();
  });

  test('its permissions, also after a rerun of a run that another key of the user started', async () => {
    await using stage = await openStage();
    const free = await stage.clientFor({ name: 'free', user: 'ann', scopes });
    const strict = { name: 'strict', user: 'ann', scopes, permissions: { deny: ['Wipe'] } };
    const bound = await stage.clientFor(strict);
    const wipe = { body: { skill: 'wipe', wait: true } };
    const first = (await free.call('createRun', wipe)).body;
    assert.equal(first['text'], 'wiped');
    const params = { id: first['id'] as string };
    for (const { body } of [
      await bound.call('createRun', wipe),
      await bound.call('rerunRun', { params, body: { wait: true } }),
    ])
      assert.equal((body['error'] as JsonObject)['code'], 'policy.denied', JSON.stringify(body));
    const client = await mcpClient(stage, await stage.keyFor({ ...strict, name: 'mcp' }));
    assert.equal((await client.callTool({ name: 'wipe', arguments: {} })).isError, true);
    await client.close();
  });

  test('its budget: runs get what is left, and nothing starts or continues when it is used', async () => {
    await using stage = await openStage();
    const limited = { name: 'poor', user: 'ann', scopes, budget: { tokens: 100 } };
    const key = await stage.keyFor(limited);
    const call = async (path: string, body: JsonObject) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const request = { method: 'POST', headers, body: JSON.stringify(body) };
      return await fetch(`${stage.url}${path}`, request);
    };
    const run = (await (await call('/v1/runs', { skill: 'echo', wait: true })).json()) as { id: string };
    const asked = (await (await call('/v1/runs', { skill: 'ask', wait: true })).json()) as { id: string };
    const store = await stage.agent.runs.store();
    const limitsOf = async (id: string): Promise<JsonObject> => {
      for await (const event of store.read(id))
        return (event as unknown as JsonObject)['limits'] as JsonObject;
      throw new Error('no such run');
    };
    assert.equal((await limitsOf(run.id))['tokens'], 100);
    const log = await readAll(store, asked.id);
    const frame = log.find(({ type }) => type === 'frame.started')?.frameId ?? '';
    const spend = async (tokens: number, step: string): Promise<void> => {
      const entries = [
        modelStarted(frame, step),
        modelEnded(frame, step, { inputTokens: tokens, outputTokens: 0 }),
      ];
      const events = entries.map((entry) => ({ frameId: '', ...entry, at: Date.now() }));
      await store.append(asked.id, await store.claim(asked.id, 'test'), events);
    };
    await spend(60, 'm1');
    // The usage of all runs is read again about once a second.
    await until(async () => {
      const again = (await (await call(`/v1/runs/${run.id}/rerun`, {})).json()) as { id: string };
      return (await limitsOf(again.id))['tokens'] === 40;
    });
    await spend(60, 'm2');
    await until(async () => (await call('/v1/runs', { skill: 'echo' })).status === 429);
    for (const [path, body] of [
      ['/v1/runs', { skill: 'echo' }],
      [`/v1/runs/${run.id}/rerun`, {}],
      [`/v1/runs/${asked.id}/resume`, { answer: 'x' }],
    ] as const) {
      const refused = await call(path, body);
      assert.deepEqual([refused.status, refused.headers.has('retry-after')], [429, true], path);
    }
    const client = await mcpClient(stage, key);
    const result = await client.callTool({ name: 'echo', arguments: {} });
    assert.match(JSON.stringify(result), /limit\.budget/);
    await client.close();
  });

  test('its number of runs, also for runs that an answer continues', async () => {
    await using stage = await openServerStage();
    const one = await stage.clientFor({ name: 'one', user: 'ann', scopes, concurrentRuns: 1 });
    const asking = await one.call('createRun', { body: { skill: 'ask', wait: true } });
    assert.equal((await one.call('createRun', { body: { skill: 'hold' } })).status, 202);
    const params = { id: asking.body['id'] as string };
    const answer = { params, body: { answer: 'red', wait: true } };
    assert.equal((await one.call('resumeRun', answer)).status, 429);
    stage.release();
    await until(async () => (await one.call('resumeRun', answer)).status === 200);
  });

  test('its number of open connections', async () => {
    await using stage = await openServerStage();
    const one = await stage.clientFor({ name: 'one', user: 'ann', scopes, connections: 1 });
    const { body } = await one.call('createRun', { body: { skill: 'hold' } });
    const params = { id: body['id'] as string };
    const headers = { accept: 'text/event-stream' };
    const stop = new AbortController();
    const stream = await one.open('getRunEvents', { params, headers, signal: stop.signal });
    assert.equal(stream.status, 200);
    assert.equal((await one.call('getRun', { params })).status, 429);
    stop.abort();
    await until(async () => (await one.call('getRun', { params })).status === 200);
  });
});

test('tokens of an identity provider: a user whose role is taken away loses its rights, also in MCP', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'k' }];
  const provider = createServer((_request, response) => response.end(JSON.stringify({ keys })));
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const oidc = {
    issuer,
    audience: 'skilled',
    jwksUrl: `${issuer}/keys`,
    scopes: ['skills:read'] as const,
    roleScopes: { editor: ['runs:write'] as const },
  };
  try {
    await using stage = await openStage({ oidc });
    const token = (roles: readonly string[]): Promise<string> =>
      new SignJWT({ sub: 'u-7', roles })
        .setProtectedHeader({ alg: 'ES256', kid: 'k' })
        .setIssuer(issuer)
        .setAudience('skilled')
        .setExpirationTime('5m')
        .sign(privateKey);
    const start = async (roles: readonly string[]): Promise<Response> => {
      const headers = {
        authorization: `Bearer ${await token(roles)}`,
        'content-type': 'application/json',
      };
      const body = JSON.stringify({ skill: 'echo', wait: true });
      return await fetch(`${stage.url}/v1/runs`, { method: 'POST', headers, body });
    };
    assert.equal((await start(['editor'])).status, 200);
    assert.equal((await start([])).status, 403);
    const client = await mcpClient(stage, await token(['editor']));
    assert.equal((await client.callTool({ name: 'echo', arguments: {} })).isError ?? false, false);
    await client.close();
    await assert.rejects(mcpClient(stage, await token([])));
  } finally {
    provider.close();
    provider.closeAllConnections();
  }
});
