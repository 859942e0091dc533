import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFuzzedServer } from '../../../test/support/fuzzed-server.ts';
import { mutateJson } from '../../../test/support/mutate-json.ts';
import { openLoops } from '../../../test/stress/stress.ts';
import type { Json, JsonObject } from '../../core/index.ts';

const { createLoop } = openLoops(import.meta);
const loop = createLoop({ small: 150, full: 10_000 });
const secret = 'the-secret-of-ana';

const schema = { type: 'object', properties: { city: { type: 'string' } } };
const bodies: readonly JsonObject[] = [
  {
    model: 'skilled',
    max_tokens: 10,
    system: [{ type: 'text', text: 'Be brief.' }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hello.' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' }] },
    ],
    tools: [{ name: 'get_weather', description: '', input_schema: schema }],
    stream: true,
  },
  {
    model: 'skilled/echo',
    max_tokens: 10,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hello.' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } },
        ],
      },
    ],
    output_config: { format: { type: 'json_schema', schema }, effort: 'low' },
  },
  { model: 'skilled/ask', max_tokens: 10, messages: [{ role: 'user', content: 'Hello.' }] },
  {
    model: 'skilled',
    max_tokens: 10,
    messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'CALL', content: 'x' }] }],
  },
];

test('every answer to a fuzzed message has a status and a code, and no data of another user', async () => {
  await using at = await openFuzzedServer();
  for (const model of ['skilled/echo', 'skilled/ask']) {
    const body = { model, messages: [{ role: 'user', content: secret }] };
    await (await at.send('ana', 'POST', '/anthropic/v1/messages', JSON.stringify(body))).text();
  }
  const calls = (await at.runIds()).map((id) => `toolu_${id}__q_0`);
  await loop.rounds(async ({ random }) => {
    let body: Json = random.pick(bodies);
    for (let times = random.below(4); times > 0; times -= 1) body = mutateJson(body, random);
    const text = JSON.stringify(body).replaceAll('"CALL"', `"${random.pick(calls)}"`);
    const cut = random.below(20) === 0 ? text.slice(0, random.below(text.length)) : text;
    const [method, path, sent] = random.pick([
      ['POST', '/messages', cut],
      ['POST', '/messages', cut],
      ['POST', '/messages', cut],
      ['POST', '/messages/count_tokens', cut],
      ['GET', `/models?limit=${String(random.below(9) - 2)}&after_id=${random.pick(calls)}`, undefined],
      ['GET', '/models/skilled/ask', undefined],
      ['DELETE', '/messages', undefined],
    ] as const);
    const response = await at.send('bob', method, `/anthropic/v1${path}`, sent);
    const answer = await response.text();
    const shown = `${method} ${path} ${sent ?? ''}\n${response.status} ${answer}`.slice(0, 3_000);
    assert.ok(!answer.includes(secret), shown);
    assert.ok(!answer.includes('internal.bug'), `${shown}\n${at.reports.at(-1) ?? ''}`);
    if (response.status < 400) return;
    const { error } = JSON.parse(answer) as { readonly error?: { readonly code?: unknown } };
    assert.match(String(error?.code), /^[a-z]+\.[a-z-]+$/, shown);
  });
  assert.deepEqual(at.reports, []);
});
