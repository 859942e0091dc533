import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import type { RunEvent } from '../../src/core/event.ts';
import { openModelServer } from '../../src/testing/model-server/server.ts';
import type { ServedReply, ServedRequest } from '../../src/testing/model-server/script.ts';
import { sumUsage } from '../../src/views/usage.ts';
import { explainRun } from '../../src/views/why.ts';
import { ofType, settled } from '../support/kernel.ts';
import {
  eventsOf,
  goodKey,
  openStage,
  price,
  providerKinds,
  type ProviderKind,
} from '../support/provider-stage.ts';
import { resultsIn, rolesIn } from '../support/wire-results.ts';

describe('a loop over the network', { concurrency: true }, () => {
  for (const kind of providerKinds)
    describe(`through ${kind.name}`, { concurrency: true }, () => loopTests(kind));
});

function loopTests(kind: ProviderKind): void {
  test('shows the first words while the server still sends', async () => {
    const text = 'word '.repeat(30).trim();
    await using stage = await openStage(kind, [{ text, pieces: 30, delayMs: 20 }]);
    const handle = stage.think();
    let wasOpen: boolean | undefined;
    for await (const event of handle.events) {
      if (event.type !== 'model.delta') continue;
      wasOpen ??= stage.server.requests[0]?.endedAt === undefined;
    }
    assert.equal(wasOpen, true);
    assert.equal((await handle.result).text, text);
    assert.equal(shownText(await eventsOf(handle)), text);
  });

  test('makes the calls of one step together and gives back the results in their order', async () => {
    const calls = [
      { name: 'read', input: { file_path: 'a.txt' }, id: 'one' },
      { name: 'meet', input: { input: 'first' }, id: 'two' },
      { name: 'glob', input: { pattern: '**/b.txt' }, id: 'three' },
      { name: 'meet', input: { input: 'second' }, id: 'four' },
    ];
    await using stage = await openStage(kind, [{ text: 'I look.', calls }, 'Alpha and beta.']);
    const result = await stage.think().result;
    assert.equal(result.text, 'Alpha and beta.', JSON.stringify(result.error));

    const results = resultsIn(stage.server.requests[1]!);
    assert.deepEqual(
      results.map(({ id }) => id),
      ['one', 'two', 'three', 'four'],
    );
    const [file, first, found, second] = results.map(({ text }) => text);
    assert.match(file!, /^\[\$\$read-1\]\n.*alpha/s);
    assert.match(first!, /first met$/);
    assert.match(found!, /^\[\$\$glob-1\]\n.*sub\/b\.txt/s);
    assert.match(second!, /^\[\$\$meet-2\]\nsecond met$/);
    const positions = results.map(({ at }) => at - results[0]!.at);
    // Anthropic expects all results in the message after the calls, and OpenAI one item for each.
    assert.deepEqual(positions, kind.name === '@ai-sdk/anthropic' ? [0, 0, 0, 0] : [0, 1, 2, 3]);
  });

  test('tells the model of arguments that cannot be used, until it has repaired them', async () => {
    await using stage = await openStage(kind, [
      { calls: [{ name: 'read', rawInput: '{"file_path": "a.t', id: 'broken' }] },
      { calls: [{ name: 'read', input: { file_path: 5, lines: 1 }, id: 'wrong' }] },
      { calls: [{ name: 'read', input: { file_path: 'a.txt' }, id: 'right' }] },
      'Alpha.',
    ]);
    const handle = stage.think();
    assert.equal((await handle.result).text, 'Alpha.');
    const [broken, wrong, right] = resultsIn(stage.server.requests[3]!);
    assert.match(broken!.text, /^Error: Invalid input for "read": .*not JSON/s);
    assert.match(wrong!.text, /^Error: .*file_path/s);
    assert.match(wrong!.text, /lines/);
    assert.match(right!.text, /alpha/);
    const frames = ofType(await eventsOf(handle), 'frame.started').map(({ skill }) => skill);
    assert.deepEqual(frames, ['think', 'read']);
  });

  test('asks a busy server again, and knows when it may', async () => {
    await using stage = await openStage(kind, [
      { status: 429, errorMessage: 'Slow down', headers: { 'retry-after': '1' } },
      { calls: [{ name: 'read', input: { file_path: 'a.txt' } }] },
      { status: 503, errorMessage: 'Loading' },
      'Alpha.',
    ]);
    const handle = stage.think();
    const result = await handle.result;
    assert.equal(result.text, 'Alpha.', JSON.stringify(result.error));
    const [first, second] = stage.server.requests;
    assert.deepEqual(second!.body, first!.body);
    const replies = ofType(await eventsOf(handle), 'model.ended').map(({ reply }) => reply);
    assert.deepEqual(
      replies.map(({ failed }) => failed?.map(({ error }) => error.code)),
      [['model.busy'], ['model.busy']],
    );
    assert.partialDeepStrictEqual(replies[0]?.failed?.[0]?.error.details, { retryAfterMs: 1000 });
  });

  test('asks again when the stream is cut, and no word is in the answer twice', async () => {
    const text = 'one two three four five';
    await using stage = await openStage(kind, [{ text, pieces: 5, cutAfter: 2 }, text]);
    const handle = stage.think();
    assert.equal((await handle.result).text, text);
    const events = await eventsOf(handle);
    const attempts = [...new Set(ofType(events, 'model.delta').map(({ attempt }) => attempt))];
    assert.equal(attempts.length, 2, 'the pieces of both attempts carry the same number');
    assert.equal(shownText(events), text);
    const [ended] = ofType(events, 'model.ended');
    assert.equal(ended?.reply.text, text);
    assert.equal(ended.reply.failed?.[0]?.error.code, 'model.failed');
  });

  test('never sends two turns of the user in a row, which many models refuse', async () => {
    const calls = [{ name: 'read', input: { file_path: 'a.txt' } }];
    const turns = ['', { calls }, { calls: [{ name: 'glob', input: { pattern: '*' } }] }, 'Alpha.'];
    await using stage = await openStage(kind, (request) =>
      JSON.stringify(request.body).includes('Summarise the conversation') ? 'A summary.' : turns.shift(),
    );
    const handle = stage.agent.run({ skill: 'recap', input: 'Look.' });
    const result = await handle.result;
    assert.equal(result.text, 'Alpha.', JSON.stringify(result.error));
    const sent = JSON.stringify(stage.server.requests.at(-1)!.body);
    assert.ok(sent.includes('Summary of the conversation so far'), sent);
    for (const request of stage.server.requests) {
      const roles = rolesIn(request);
      assert.ok(
        !roles.some((role, index) => role === 'user' && roles[index - 1] === role),
        JSON.stringify(roles),
      );
    }
  });

  test('closes the connection when the run is cancelled in the middle of a word', async () => {
    await using stage = await openStage(kind, [{ text: 'So far so good', hang: true }]);
    const handle = stage.think();
    for await (const event of handle.events) if (event.type === 'model.delta') break;
    await handle.cancel('Enough.');
    await settled(stage.server.closed(0), 'the end of the connection');
    const { status, error } = await handle.result;
    assert.deepEqual([status, error?.code], ['cancelled', 'usage.cancelled']);
    assert.equal(stage.server.requests.length, 1, 'it was asked again');
  });

  test('continues with the next model of the tier, and the log says why', async () => {
    const [first, second] = kind.ids;
    const faults: ServedReply[] = [
      { status: 401, errorMessage: 'No such key' },
      { status: 500, errorMessage: 'Out of order' },
      { status: 500, errorMessage: 'Still out of order' },
    ];
    const turns = [{ calls: [{ name: 'read', input: { file_path: 'a.txt' } }] }, 'Alpha.'];
    await using stage = await openStage(
      kind,
      (request) => (modelIn(request) === first ? faults.shift() : turns.shift()),
      { retries: 1 },
    );
    const handle = stage.think();
    const result = await handle.result;
    assert.equal(result.text, 'Alpha.', JSON.stringify(result.error));
    assert.deepEqual(stage.server.requests.map(modelIn), [first, second, first, first, second]);
    const events = await eventsOf(handle);
    assert.deepEqual(
      ofType(events, 'model.ended').map(({ reply }) => [reply.model, reply.failed?.length]),
      [
        [second, 1],
        [second, 2],
      ],
    );
    const reasons = explainRun(events).filter(({ kind: why }) => why === 'model-failed');
    assert.equal(reasons.length, 2);
    assert.ok(reasons[0]!.text.startsWith(`${first} failed once, then ${second} answered (model.denied): `));
    assert.ok(
      reasons[1]!.text.startsWith(`${first} failed 2 times, then ${second} answered (model.failed): `),
    );
    assert.deepEqual(
      sumUsage(events).byModel.map(({ name, modelSteps }) => [name, modelSteps]),
      [[second, 2]],
    );
  });

  test('counts tokens and money for the run, for each frame and in the ledger', async () => {
    const usages = [
      { inputTokens: 1000, outputTokens: 10, cachedTokens: 0 },
      { inputTokens: 2000, outputTokens: 20, cachedTokens: 1500 },
      { inputTokens: 3000, outputTokens: 30, cachedTokens: 2500 },
    ] as const;
    await using stage = await openStage(kind, [
      { calls: [{ name: 'think', input: { input: 'Look.' } }], usage: usages[0] },
      { text: 'I looked.', usage: usages[1] },
      { text: 'It looked.', usage: usages[2] },
    ]);
    const handle = stage.agent.run({ skill: 'delegate', input: 'Let it look.' });
    const { usage, text } = await handle.result;
    assert.equal(text, 'It looked.');
    const costs = usages.map(costOf);
    const whole = { inputTokens: 6000, outputTokens: 60, cachedTokens: 4000 };
    checkUsage(usage, whole, costs[0]! + costs[1]! + costs[2]!);

    const { bySkill, byModel, total } = sumUsage(await eventsOf(handle));
    checkUsage(total, whole, costs[0]! + costs[1]! + costs[2]!);
    const [delegate, think] = bySkill;
    assert.deepEqual([delegate?.name, think?.name], ['delegate', 'think']);
    checkUsage(delegate!, { inputTokens: 4000, outputTokens: 40, cachedTokens: 2500 }, costs[0]! + costs[2]!);
    checkUsage(think!, usages[1], costs[1]!);
    assert.deepEqual(
      byModel.map(({ name, modelSteps }) => [name, modelSteps]),
      [[kind.ids[0], 3]],
    );

    const { ledger } = stage.llm;
    assert.equal(ledger.total.calls, 3);
    checkUsage(ledger.total.usage, whole, costs[0]! + costs[1]! + costs[2]!);
    assert.deepEqual([...ledger.byModel.keys()], [kind.ids[0]]);
  });

  const others = { wrong: 'sk-test-another-0123456789abcdef', right: 'sk-test-proper-9876543210fedcba' };
  const expired = { status: 401, errorMessage: `The key ${goodKey} has expired` };
  for (const [name, key, turn] of [
    ['a wrong key', others.wrong, 'Never said.'],
    ['no key', null, 'Never said.'],
    ['a key that has expired', goodKey, expired],
  ] as const) {
    test(`says once what is wrong with ${name}, and does not show it`, async () => {
      const authorization = turn === expired ? goodKey : others.right;
      await using stage = await openStage(kind, () => turn, { key, authorization, alone: true });
      const handle = stage.think();
      const { status, error, text } = await handle.result;
      assert.deepEqual([status, error?.code], ['failed', 'model.denied'], JSON.stringify(error));
      assert.equal(text, error?.message);
      assert.match(text, /^[^.]*\bkey\b[^.]*\.$/, 'it is not one sentence about the key');
      assert.match(error?.hint ?? '', /valid key\.$/);
      const recorded = JSON.stringify([await eventsOf(handle), stage.llm.ledger.entries]);
      for (const secret of [goodKey, ...Object.values(others)])
        assert.ok(!recorded.includes(secret), recorded);
      assert.ok(stage.server.requests.length <= 1, 'another try does not make a key better');
    });
  }

  test('gives a value of a shape, repaired where it did not fit', async () => {
    await using stage = await openStage(kind, ['It is {"name": "a.txt"}', '{"name": "a.txt", "lines": 1}']);
    const responseShape = z.object({ name: z.string(), lines: z.int() });
    const value = await stage.llm.executePrompt('Describe the file.', { responseShape });
    assert.deepEqual(value, { name: 'a.txt', lines: 1 });
    assert.equal(stage.server.requests.length, 2);
    assert.match(JSON.stringify(stage.server.requests[1]!.body), /- lines is required/);
  });

  test('lets a model call in words that cannot call tools by itself', async () => {
    const said = [
      'I look.\n```call\n{"tool": "read", "input": {"file_path": "a.txt"}}\n```',
      '```call\n{"tool": "glob", "input": {"pattern": "**/*.txt"}}\n```',
      'Alpha and beta.',
    ];
    const hasTools = ({ body }: ServedRequest): boolean => 'tools' in body;
    await using stage = await openStage(kind, (request) =>
      hasTools(request)
        ? { status: 400, errorMessage: `${modelIn(request)} does not support tools` }
        : said.shift(),
    );
    const handle = stage.think();
    const result = await handle.result;
    assert.equal(result.text, 'Alpha and beta.', JSON.stringify(result.error));
    const frames = ofType(await eventsOf(handle), 'frame.started').map(({ skill }) => skill);
    assert.deepEqual(frames, ['think', 'read', 'glob']);
    assert.deepEqual(stage.server.requests.map(hasTools), [true, false, false, false]);
    const last = JSON.stringify(stage.server.requests[3]!.body);
    assert.ok(last.includes('alpha') && last.includes('sub/b.txt'), last);
  });
}

test('a conversation goes from one provider to another and back, and each gets what it can read', async () => {
  await using office = await openModelServer([
    { reasoning: 'Find it.', calls: [{ name: 'glob', input: { pattern: '**/b.txt' }, id: 'two' }] },
  ]);
  const kind: ProviderKind = {
    name: 'two providers',
    ids: ['anthropic/claude-sonnet-5-5', 'office/large'],
    setUp: (url, key = '') => ({
      options: {
        models: ['anthropic/claude-sonnet-5-5', 'office/large'],
        providers: { office: { baseUrl: `${office.url}/v1` } },
      },
      environment: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key },
    }),
  };
  const read = { name: 'read', input: { file_path: 'a.txt' }, id: 'one' };
  await using stage = await openStage(
    kind,
    [{ reasoning: 'Look.', signature: 'c2lnbmVk', calls: [read] }, { status: 500 }, 'Alpha and beta.'],
    { retries: 0 },
  );
  const handle = stage.think();
  const result = await handle.result;
  assert.equal(result.text, 'Alpha and beta.', JSON.stringify(result.error));
  assert.deepEqual(
    resultsIn(office.requests[0]!).map(({ id }) => id),
    ['one'],
  );
  assert.doesNotMatch(JSON.stringify(office.requests[0]!.body), /c2lnbmVk|Look\./);
  const back = stage.server.requests[2]!;
  assert.deepEqual(
    resultsIn(back).map(({ id, at }) => [id, at]),
    [
      ['one', 2],
      ['two', 4],
    ],
  );
  const sent = JSON.stringify(back.body);
  assert.equal(sent.split('"signature":"c2lnbmVk"').length, 2, sent);
  assert.ok(!sent.includes('Find it.'), sent);
});

/** Returns the id of the requested model. */
function modelIn({ body }: ServedRequest): string {
  const ids = providerKinds.flatMap((kind) => kind.ids);
  return ids.find((id) => id.endsWith(`/${JSON.stringify(body['model']).slice(1, -1)}`)) ?? 'unknown';
}

/** Returns the text on a screen that removes the output of failed attempts. */
function shownText(events: readonly RunEvent[]): string {
  const deltas = ofType(events, 'model.delta');
  const last = deltas.at(-1)?.attempt;
  return deltas.flatMap(({ attempt, text }) => (attempt === last ? [text] : [])).join('');
}

interface Counted {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens?: number;
  readonly cost?: number;
}

function costOf({ inputTokens, outputTokens, cachedTokens = 0 }: Counted): number {
  const { input, output, cached = 0 } = price;
  return ((inputTokens - cachedTokens) * input + cachedTokens * cached + outputTokens * output) / 1e6;
}

function checkUsage(used: Counted, expected: Counted, cost: number): void {
  const { inputTokens, outputTokens, cachedTokens } = used;
  assert.deepEqual({ inputTokens, outputTokens, cachedTokens }, expected);
  assert.ok(Math.abs((used.cost ?? 0) - cost) < 1e-9, `${String(used.cost)} is not ${cost}`);
}
