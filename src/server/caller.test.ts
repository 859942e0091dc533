import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentWith, done } from '../../test/support/kernel.ts';
import type { JsonObject, Store } from '../core/index.ts';
import { createMemoryStore } from '../stores/memory.ts';
import { createServer } from './create-server.ts';
import { createKeyStore } from './keys/key-store.ts';

const scopes = ['runs:read', 'runs:write', 'skills:read', 'sessions:read', 'approvals:decide'] as const;

/** Wraps a store so that the names of its calls are recorded. */
function recorded(inner: Store, calls: string[]): Store {
  return new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]): unknown => {
        calls.push(String(name));
        return Reflect.apply(value, target, given);
      };
    },
  });
}

test('an id of another user takes the same steps as one that does not exist', async () => {
  const calls: string[] = [];
  const store = recorded(createMemoryStore(), calls);
  const skills = {
    ask: {
      run: async (_input: unknown, scope: { ask(text: string): Promise<unknown> }) => {
        await scope.ask('Which?');
        return done('x');
      },
    },
  };
  await using agent = agentWith(skills, { store });
  await using server = createServer(agent, { keys: true, continuesRuns: false });
  const keys = createKeyStore(store);
  const keyOf = async (name: string): Promise<string> =>
    (await keys.add({ name, user: name, roles: [], scopes })).key;
  const [ann, bob] = [await keyOf('ann'), await keyOf('bob')];
  const send = async (key: string, method: string, path: string, body?: JsonObject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await server.fetch(new Request(`http://localhost${path}`, init));
    return { status: response.status, body: (await response.json()) as JsonObject };
  };
  const started = await send(bob, 'POST', '/v1/runs', { skill: 'ask', session: 'talk', wait: true });
  const { id, question } = started.body as { id: string; question: { id: string } };
  assert.equal(started.status, 200, JSON.stringify(started.body));
  const stepsFor = async (method: string, path: string, body?: JsonObject): Promise<readonly string[]> => {
    await send(ann, 'GET', '/v1/families'); // What is read once for all requests has been read.
    calls.length = 0;
    assert.equal((await send(ann, method, path, body)).status, 404, path);
    return [...calls];
  };
  const missing = { id: 'r_0000000000000000', question: 'q_0000000000000000' };
  for (const [method, pathOf, body] of [
    ['GET', (of: string) => `/v1/runs/${of}`],
    ['GET', (of: string) => `/v1/runs/${of}/events`],
    ['GET', (of: string) => `/v1/runs/${of}/tree`],
    ['GET', (of: string) => `/v1/runs/${of}/artifacts`],
    ['GET', (of: string) => `/v1/runs/${of}/artifacts/1`],
    ['POST', (of: string) => `/v1/runs/${of}/cancel`, {}],
    ['POST', (of: string) => `/v1/runs/${of}/resume`, { answer: 'x' }],
    ['POST', (of: string) => `/v1/runs/${of}/rerun`, {}],
    ['POST', (of: string) => `/v1/runs/${of}/steer`, { text: 'x' }],
    ['GET', (of: string, asked: string) => `/v1/approvals/${of}.${asked}`],
    ['POST', (of: string, asked: string) => `/v1/approvals/${of}.${asked}`, { deny: 'x' }],
  ] as const) {
    const theirs = await stepsFor(method, pathOf(id, question.id), body);
    assert.ok(theirs.includes('runs'));
    assert.deepEqual(theirs, await stepsFor(method, pathOf(missing.id, missing.question), body));
  }
  for (const path of ['', '/messages'])
    assert.deepEqual(
      await stepsFor('GET', `/v1/sessions/talk${path}`),
      await stepsFor('GET', `/v1/sessions/none${path}`),
    );
});
