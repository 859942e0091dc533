import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Json, JsonObject } from '../../src/core/json.ts';
import type { ApiCall } from '../support/api-client.ts';
import type { Random } from '../support/random.ts';
import { openServerStage } from '../support/server-stage.ts';
import { openLoops } from '../stress/stress.ts';

const { createLoop } = openLoops(import.meta);
const scopes = ['runs:read', 'runs:write', 'skills:read', 'sessions:read', 'approvals:decide'] as const;
const secret = 'bobs-secret';

const stage = await openServerStage({ body: { bytes: 100_000 } });
const [ann, bob] = [
  await stage.clientFor({ name: 'ann', user: 'ann', scopes }),
  await stage.clientFor({ name: 'bob', user: 'bob', scopes }),
];
const runs: string[] = [];
for (const skill of ['echo', 'draw', 'ask', 'wipe']) {
  const body = { skill, input: secret, session: 'talk', wait: true };
  runs.push((await bob.call('createRun', { body })).body['id'] as string);
}
const approvals = (await bob.call('listApprovals')).body['data'] as readonly JsonObject[];
const ids = [
  ...runs,
  ...approvals.map(({ id }) => id as string),
  'talk',
  'echo',
  'none',
  'r_0',
  '0',
  '..',
  '%00',
];
after(() => stage[Symbol.asyncDispose]());

const names = 'prompt skill input session question assistant attachments result model effort limits'.split(
  ' ',
);
const members = [
  ...names,
  ...'wait stream text answer allow deny reason from limit __proto__ status'.split(' '),
];
const texts = [
  '',
  'echo',
  '/echo',
  '/bash ls',
  '!ls',
  '@wipe',
  '\u0000',
  '\ud800',
  '../..',
  'x'.repeat(5_000),
];

function value(random: Random, depth = 0): Json {
  const kind = random.below(depth > 3 ? 6 : 8);
  if (kind === 0) return null;
  if (kind === 1) return random.below(2) === 0;
  if (kind === 2) return random.pick([0, -1, 1.5, 1e308, 2 ** 53]);
  if (kind < 6) return random.pick([...texts, ...ids]);
  const items = Array.from({ length: random.below(4) }, () => value(random, depth + 1));
  if (kind === 6) return items;
  return Object.fromEntries(items.map((one) => [random.pick(members), one]));
}

function randomCall(random: Random): ApiCall {
  const text = (): string => random.pick([...texts.slice(0, 9), ...ids]);
  const many = (count: number): readonly Json[] =>
    Array.from({ length: random.below(count) }, () => value(random));
  const body: Json =
    random.below(8) === 0
      ? value(random)
      : Object.fromEntries(many(5).map((one) => [random.pick(members), one]));
  const query = Object.fromEntries(
    many(3).map(() => [
      random.pick(['limit', 'cursor', 'status', 'session', 'after', 'by', 'text', 'x']),
      text(),
    ]),
  );
  return {
    params: { id: random.pick(ids), name: random.pick(['drawing.svg', '1', ...texts.slice(0, 7)]) || 'x' },
    query,
    ...(random.below(10) === 0 ? { headers: { 'idempotency-key': random.pick(['a', 'b', '']) } } : {}),
    body,
  };
}

for (const operation of ann.operations) {
  const loop = createLoop({ small: 20, full: 10_000, lanes: 8 });
  test(`random requests to ${operation} get an answer with a code, and no data of others`, async () => {
    await loop.rounds(async ({ random }) => {
      const { body, ...call } = randomCall(random);
      const stop = AbortSignal.timeout(5_000);
      const hasBody = /^(?:create|rank|steer|decide|cancel|resume|rerun)/.test(operation);
      const response = await ann.open(operation, {
        ...call,
        ...(hasBody && body !== undefined ? { body } : {}),
        signal: stop,
      });
      if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) {
        await response.body?.cancel();
        return;
      }
      const text = await response.text();
      // What Ann sends can come back to her, but nothing that Bob has stored.
      assert.ok(!text.includes(secret), `${JSON.stringify({ ...call, body })} ${text}`);
      assert.notEqual(response.status, 500, text);
      if (response.status < 400) return;
      const { code } = JSON.parse(text) as { readonly code?: string };
      assert.equal(typeof code, 'string', text);
    });
  });
}
