import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../src/core/json.ts';
import type { ApiCall, ApiClient } from '../support/api-client.ts';
import { settled, until } from '../support/deadline.ts';
import { openServerStage } from '../support/server-stage.ts';

const all = ['runs:read', 'runs:write', 'skills:read', 'sessions:read', 'approvals:decide'] as const;

function list(body: JsonObject): readonly JsonObject[] {
  return body['data'] as readonly JsonObject[];
}

async function start(client: ApiClient, body: JsonObject): Promise<string> {
  const { status, body: run } = await client.call('createRun', { body });
  assert.ok(status === 202 || status === 200, JSON.stringify(run));
  return run['id'] as string;
}

describe('every endpoint of the built package, through a client generated from its description', () => {
  test('success, as the description says', async () => {
    await using stage = await openServerStage();
    const ann = await stage.clientFor({ name: 'ann', user: 'ann', scopes: all });
    const used = new Set<string>();
    const ok = async (operation: string, call?: ApiCall, status = 200): Promise<JsonObject> => {
      used.add(operation);
      const result = await ann.call(operation, call);
      assert.equal(result.status, status, `${operation}: ${JSON.stringify(result.body)}`);
      return result.body;
    };
    const run = await ok('createRun', { body: { skill: 'draw', input: 'a cat', session: 's', wait: true } });
    const params = { id: run['id'] as string };
    assert.equal(run['text'], 'drawn');
    assert.equal((await ok('getRun', { params }))['status'], 'done');
    assert.equal(list(await ok('listRuns', { query: { status: ['done'], session: 's' } })).length, 1);
    assert.ok(list(await ok('getRunEvents', { params })).length > 3);
    assert.equal((await ok('getRunTree', { params }))['runId'], params.id);
    assert.equal(list(await ok('listArtifacts', { params }))[0]?.['name'], 'drawing.svg');
    const drawing = await ok('getArtifact', { params: { ...params, name: 'drawing.svg' } });
    assert.equal(drawing['text'], '<svg>a cat</svg>');
    await ok('rerunRun', { params, body: { wait: true } });
    assert.equal((await ok('cancelRun', { params }))['status'], 'done');

    const held = await start(ann, { skill: 'hold' });
    await settled(stage.held());
    await ok('steerRun', { params: { id: held }, body: { text: 'faster' } });
    assert.equal((await ok('cancelRun', { params: { id: held } }))['status'], 'cancelled');

    const asking = await start(ann, { skill: 'ask', wait: true });
    const answered = await ok('resumeRun', { params: { id: asking }, body: { answer: 'red', wait: true } });
    assert.equal(answered['text'], 'You like red.');

    await start(ann, { skill: 'wipe', wait: true });
    const [approval] = list(await ok('listApprovals'));
    const decided = { params: { id: approval?.['id'] as string } };
    assert.deepEqual(await ok('getApproval', decided), approval);
    await ok('decideApproval', { ...decided, body: { allow: 'once' } }, 202);
    const wiped = { params: { id: approval?.['runId'] as string } };
    await until(async () => (await ann.call('getRun', wiped)).body['text'] === 'wiped');

    const names = list(await ok('listSkills')).map(({ name }) => name);
    assert.ok(names.includes('echo') && !names.includes('bash'), JSON.stringify(names));
    assert.equal(
      (await ok('getSkill', { params: { name: 'echo' } }))['description'],
      'Repeats what it gets.',
    );
    assert.ok(list(await ok('rankSkills', { body: { prompt: 'repeat this' } })).length > 0);
    assert.match((await ok('getCatalog'))['text'] as string, /echo/);
    assert.ok(list(await ok('listFamilies')).length > 3);
    assert.deepEqual(list(await ok('listModels')), []);
    assert.equal(list(await ok('getUsage', { query: { by: ['skill'] } })).length > 0, true);

    assert.deepEqual(
      list(await ok('listSessions')).map(({ id }) => id),
      ['s'],
    );
    assert.equal((await ok('getSession', { params: { id: 's' } }))['id'], 's');
    assert.equal(list(await ok('listMessages', { params: { id: 's' } })).length > 0, true);
    await ok('deleteSession', { params: { id: 's' } }, 204);
    assert.deepEqual(
      ann.operations.filter((name) => !used.has(name)),
      [],
      'an operation has no test',
    );
  });

  test('401 without a valid key, and 403 without the scope, on every endpoint', async () => {
    await using stage = await openServerStage();
    const poor = await stage.clientFor({ name: 'poor', user: 'ann', scopes: ['sessions:read'] });
    const params = { id: 'x', name: 'x' };
    for (const operation of poor.operations) {
      const body = /^(?:create|rank|steer|decide)/.test(operation) ? { body: {} } : {};
      const wrong = {
        ...body,
        params,
        headers: { authorization: `Bearer sk_${'a'.repeat(12)}_${'b'.repeat(43)}` },
      };
      assert.equal((await poor.call(operation, wrong)).status, 401, operation);
      if (/Session|Messages/.test(operation) && operation !== 'deleteSession') continue;
      assert.equal((await poor.call(operation, { ...body, params })).status, 403, operation);
    }
  });

  test('400, 404, 405, 409, 413 and 415', async () => {
    await using stage = await openServerStage({ body: { bytes: 100_000 } });
    const ann = await stage.clientFor({ name: 'ann', user: 'ann', scopes: all });
    const status = async (operation: string, call: ApiCall): Promise<number> =>
      (await ann.call(operation, call)).status;
    const params = { id: 'r_none', name: 'none' };
    for (const body of [
      {},
      { prompt: 1 },
      { skill: 'echo', wait: true, stream: true },
      { skill: 'echo', x: 1 },
      [],
    ])
      assert.equal(await status('createRun', { body }), 400, JSON.stringify(body));
    assert.equal(await status('listRuns', { query: { limit: '0' } }), 400);
    assert.equal(await status('listRuns', { query: { cursor: 'nonsense' } }), 400);
    for (const operation of ann.operations.filter((name) =>
      /^get(?!Usage|Catalog)|Run$|^decide|^delete|Messages/.test(name),
    )) {
      if (operation === 'createRun') continue;
      const body = /^decide/.test(operation)
        ? { deny: 'no' }
        : operation === 'steerRun'
          ? { text: 'x' }
          : undefined;
      assert.equal(await status(operation, { params, ...(body && { body }) }), 404, operation);
    }
    for (const skill of ['none', 'bash'])
      assert.equal(await status('createRun', { body: { skill } }), 404, skill);
    for (const prompt of ['/bash ls', '@bash ls', '/none'])
      assert.equal(await status('createRun', { body: { prompt } }), 404, prompt);
    const done = { params: { id: await start(ann, { skill: 'echo', wait: true }) } };
    assert.equal(await status('steerRun', { ...done, body: { text: 'late' } }), 409);
    assert.equal(await status('resumeRun', done), 409);
    assert.equal(await status('createRun', { body: { skill: 'echo', input: 'x'.repeat(100_001) } }), 413);
    const deep = `${'['.repeat(100)}${']'.repeat(100)}`;
    const raw = async (body: string, type: string, method = 'POST'): Promise<number> => {
      const headers = {
        authorization: `Bearer ${await stage.keyFor({ name: `k${Math.random()}` })}`,
        'content-type': type,
      };
      return (await fetch(`${stage.url}/v1/runs`, { method, headers, body })).status;
    };
    assert.equal(await raw(`{"skill":"echo","input":${deep}}`, 'application/json'), 413);
    assert.equal(await raw('{"skill":', 'application/json'), 400);
    assert.equal(await raw('skill=echo', 'application/x-www-form-urlencoded'), 415);
    assert.equal(await raw('{}', 'application/json', 'PUT'), 405);
  });

  test('a repeated Idempotency-Key starts one run, and another body with it is a conflict', async () => {
    await using stage = await openServerStage();
    const ann = await stage.clientFor({ name: 'ann', user: 'ann' });
    const headers = { 'idempotency-key': 'once' };
    const send = (input: string) =>
      ann.call('createRun', { body: { skill: 'echo', input, wait: true }, headers });
    const results = await Promise.all([send('a'), send('a'), send('a')]);
    assert.equal(new Set(results.map(({ body }) => body['id'])).size, 1, JSON.stringify(results));
    assert.deepEqual([...new Set(results.map(({ body }) => body['text']))], ['a']);
    assert.equal((await send('b')).status, 409);
    assert.equal(list((await ann.call('listRuns')).body).length, 1);
  });

  test('429 above the rate, above the runs of a key, and 503 above those of the server', async () => {
    await using stage = await openServerStage({ maxRuns: 2 });
    const rated = await stage.clientFor({ name: 'rated', user: 'r', rate: { perMinute: 1, burst: 2 } });
    const statuses = [1, 2, 3].map(async () => (await rated.call('listRuns')).status);
    assert.deepEqual((await Promise.all(statuses)).sort(), [200, 200, 429]);
    const one = await stage.clientFor({ name: 'one', user: 'o', concurrentRuns: 1 });
    const hold = { body: { skill: 'hold' } };
    assert.equal((await one.call('createRun', hold)).status, 202);
    const busy = await one.call('createRun', hold);
    assert.deepEqual(
      [busy.status, busy.body['code'], busy.headers.has('retry-after')],
      [429, 'limit.busy', true],
    );
    const other = await stage.clientFor({ name: 'other', user: 'p' });
    assert.equal((await other.call('createRun', hold)).status, 202);
    assert.equal((await other.call('createRun', hold)).status, 503);
  });

  test('503 while draining: runs end, new requests are refused', async () => {
    await using stage = await openServerStage();
    const ann = await stage.clientFor({ name: 'ann', user: 'ann' });
    const waiting = ann.call('createRun', { body: { skill: 'hold', wait: true } });
    await settled(stage.held());
    const closed = stage.server.close({ drainMs: 60_000 });
    assert.equal((await fetch(`${stage.url}/readyz`)).status, 503);
    assert.equal((await fetch(`${stage.url}/healthz`)).status, 200);
    const refused = await ann.call('createRun', { body: { skill: 'echo' } });
    assert.deepEqual([refused.status, refused.headers.has('retry-after')], [503, true]);
    stage.release();
    assert.deepEqual((await settled(waiting)).body['text'], 'released');
    await settled(closed);
  });

  test('a client that waits and disconnects cancels its run', async () => {
    await using stage = await openServerStage();
    const ann = await stage.clientFor({ name: 'ann', user: 'ann' });
    const gone = new AbortController();
    const call = ann.call('createRun', { body: { skill: 'hold', wait: true }, signal: gone.signal });
    await settled(stage.held());
    gone.abort();
    await assert.rejects(call);
    await until(async () => list((await ann.call('listRuns')).body)[0]?.['status'] === 'cancelled');
  });
});
