import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../src/core/json.ts';
import type { ApiCall, ApiClient } from '../support/api-client.ts';
import { createRandom } from '../support/random.ts';
import { openServerStage } from '../support/server-stage.ts';

const scopes = ['runs:read', 'runs:write', 'skills:read', 'sessions:read', 'approvals:decide'] as const;

/** What a user owns, and the texts that nobody else may get. */
interface Belongings {
  readonly runs: readonly string[];
  readonly approvals: readonly string[];
  readonly secret: string;
}

function list(body: JsonObject): readonly JsonObject[] {
  return body['data'] as readonly JsonObject[];
}

async function fill(client: ApiClient, secret: string): Promise<Belongings> {
  const run = async (body: JsonObject): Promise<string> =>
    (await client.call('createRun', { body: { ...body, wait: true } })).body['id'] as string;
  const runs = [
    await run({ skill: 'echo', input: secret, session: 'talk' }),
    await run({ skill: 'draw', input: secret }),
    await run({ skill: 'ask', input: secret }),
    await run({ skill: 'wipe', input: secret }),
  ];
  const approvals = list((await client.call('listApprovals')).body).map(({ id }) => id as string);
  return { runs, approvals, secret };
}

/** Returns a random request about one of the ids. */
function randomCall(pick: <One>(of: readonly One[]) => One, own: Belongings): readonly [string, ApiCall] {
  const id = pick([...own.runs, 'r_0000000000000000']);
  const approval = pick([...own.approvals, `${pick(own.runs)}.q_0000000000000000`]);
  return pick<readonly [string, ApiCall]>([
    ['getRun', { params: { id } }],
    ['getRunEvents', { params: { id } }],
    ['getRunTree', { params: { id } }],
    ['listArtifacts', { params: { id } }],
    ['getArtifact', { params: { id, name: 'drawing.svg' } }],
    ['cancelRun', { params: { id }, body: { reason: 'mine now' } }],
    ['resumeRun', { params: { id }, body: { answer: 'red' } }],
    ['rerunRun', { params: { id }, body: {} }],
    ['steerRun', { params: { id }, body: { text: 'hello' } }],
    ['getApproval', { params: { id: approval } }],
    ['decideApproval', { params: { id: approval }, body: { allow: 'run' } }],
  ]);
}

describe('two users and an admin', () => {
  test('200 random requests each with the ids of the other obtain and reveal nothing', async () => {
    await using stage = await openServerStage();
    const ann = await stage.clientFor({ name: 'ann', user: 'ann', scopes });
    const bob = await stage.clientFor({ name: 'bob', user: 'bob', scopes });
    const admin = await stage.clientFor({ name: 'root', user: 'root', scopes: ['admin'] });
    const [annes, bobs] = [await fill(ann, 'annes-secret'), await fill(bob, 'bobs-secret')];
    const before = await Promise.all(
      [...annes.runs, ...bobs.runs].map((id) => admin.call('getRun', { params: { id } })),
    );
    const random = createRandom(4711);
    const pick = <One>(of: readonly One[]): One => random.pick(of);
    for (const [client, theirs] of [
      [ann, bobs],
      [bob, annes],
    ] as const)
      for (let count = 0; count < 200; count += 1) {
        const [operation, call] = randomCall(pick, theirs);
        const { status, body } = await client.call(operation, call);
        assert.equal(status, 404, `${operation} ${JSON.stringify(call)} ${JSON.stringify(body)}`);
        // The answer is the same as for an id that does not exist, except for the id itself.
        const { id = '' } = call.params ?? {};
        const missing = { ...call, params: { ...call.params, id: 'x'.repeat(id.length) } };
        const other = await client.call(operation, missing);
        const shape = (one: JsonObject, own: string): string => JSON.stringify(one).replaceAll(own, '*');
        assert.equal(shape(body, id), shape(other.body, 'x'.repeat(id.length)));
        assert.doesNotMatch(JSON.stringify(body), new RegExp(theirs.secret));
      }
    const after = await Promise.all(
      [...annes.runs, ...bobs.runs].map((id) => admin.call('getRun', { params: { id } })),
    );
    assert.deepEqual(
      after.map(({ body }) => [body['status'], body['events']]),
      before.map(({ body }) => [body['status'], body['events']]),
    );
    for (const [client, own, theirs] of [
      [ann, annes, bobs],
      [bob, bobs, annes],
    ] as const) {
      const lists = ['listRuns', 'listApprovals', 'listSessions', 'getUsage'].map((name) =>
        client.call(name),
      );
      const text = JSON.stringify(await Promise.all(lists));
      for (const id of [...theirs.runs, theirs.secret]) assert.ok(!text.includes(id), id);
      const runs = list((await client.call('listRuns')).body).map(({ id }) => id as string);
      assert.deepEqual(runs.toSorted(), own.runs.toSorted());
    }
    const all = list((await admin.call('listRuns')).body).length;
    assert.equal(all, annes.runs.length + bobs.runs.length);
  });

  test('the same session id is another conversation for each user', async () => {
    await using stage = await openServerStage();
    const ann = await stage.clientFor({ name: 'ann', user: 'ann', scopes });
    const bob = await stage.clientFor({ name: 'bob', user: 'bob', scopes });
    for (const [client, input] of [
      [ann, 'one'],
      [bob, 'two'],
    ] as const) {
      const body = { skill: 'echo', input, session: 'shared', wait: true };
      const { status, body: run } = await client.call('createRun', { body });
      assert.deepEqual([status, run['text'], run['session']], [200, input, 'shared']);
    }
    const seen = await ann.call('listMessages', { params: { id: 'shared' } });
    assert.doesNotMatch(JSON.stringify(seen.body), /two/);
    assert.equal((await bob.call('deleteSession', { params: { id: 'shared' } })).status, 204);
    assert.equal((await ann.call('getSession', { params: { id: 'shared' } })).status, 200);
  });

  test('a key with a list of skills sees and starts no others', async () => {
    await using stage = await openServerStage();
    const few = await stage.clientFor({ name: 'few', user: 'ann', scopes, skills: ['ec*'] });
    assert.deepEqual(
      list((await few.call('listSkills')).body).map(({ name }) => name),
      ['echo'],
    );
    assert.equal((await few.call('getSkill', { params: { name: 'draw' } })).status, 404);
    assert.equal((await few.call('createRun', { body: { skill: 'draw' } })).status, 404);
    assert.equal((await few.call('createRun', { body: { skill: 'echo', wait: true } })).status, 200);
  });
});
