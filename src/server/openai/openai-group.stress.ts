import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Random } from '../../../test/support/random.ts';
import { agentWith, done, textOf } from '../../../test/support/kernel.ts';
import { openLoops } from '../../../test/stress/stress.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/index.ts';
import { createScriptedModel } from '../../models/scripted.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { createServer } from '../create-server.ts';
import { createKeyStore } from '../keys/key-store.ts';

const { createLoop } = openLoops(import.meta);
const loop = createLoop({ small: 150, full: 10_000 });
const secret = 'the-secret-of-ana';

const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const bodies: readonly (readonly [path: string, body: JsonObject])[] = [
  [
    '/chat/completions',
    {
      model: 'skilled',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'Hello.' }] },
        { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: {} }] },
        { role: 'tool', tool_call_id: 'call_1', content: 'x' },
        { role: 'user', content: 'Hello again.' },
      ],
      stream: true,
      stream_options: { include_usage: true },
      tools: [{ type: 'function', function: { name: 'get_weather', parameters } }],
    },
  ],
  [
    '/chat/completions',
    {
      model: 'skilled/echo',
      messages: [{ role: 'user', content: 'Hello.' }],
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema: parameters } },
      n: 1,
    },
  ],
  [
    '/responses',
    {
      model: 'skilled',
      input: [{ type: 'message', role: 'user', content: 'Hello.' }],
      tools: [{ type: 'function', name: 'get_weather', description: '', parameters, strict: true }],
      text: { format: { type: 'text' } },
      reasoning: { effort: 'low' },
      stream: true,
    },
  ],
  [
    '/responses',
    { model: 'skilled/ask', input: 'Hello.', conversation: 'c', instructions: 'x', store: true },
  ],
  ['/responses', { model: 'skilled', input: 'Hello.', previous_response_id: 'ID' }],
  [
    '/responses',
    { model: 'skilled', input: [{ type: 'function_call_output', call_id: 'CALL', output: 'x' }] },
  ],
];
const odd: readonly Json[] = [
  null,
  '',
  ' ',
  0,
  -1,
  1e308,
  true,
  [],
  {},
  [null],
  [[]],
  'skilled',
  'skilled/../echo',
  '/ask x',
  '@bash ls',
  'data:image/png;base64,!!!',
  'call_r_0_q_0',
  { type: 'object', $ref: '#/nowhere' },
  { role: 'user' },
  { __proto__: null, constructor: 'x' },
  '\u0000\ud800',
  'x'.repeat(3_000),
];

/** Replaces, removes or doubles something at a random place. */
function mutate(value: Json, random: Random): Json {
  if (random.below(6) === 0) return random.pick(odd);
  if (Array.isArray(value)) {
    const list = value as readonly Json[];
    if (list.length === 0 || random.below(5) === 0) return [...list, random.pick([...odd, ...list])];
    const at = random.below(list.length);
    return list.map((item, index) => (index === at ? mutate(item, random) : item));
  }
  if (!isJsonObject(value) || Object.keys(value).length === 0) return random.pick(odd);
  const key = random.pick(Object.keys(value));
  const { [key]: member = null, ...rest } = value;
  return random.below(5) === 0 ? rest : { ...value, [key]: mutate(member, random) };
}

test('every answer to a fuzzed request has a status and a code, and no data of another user', async () => {
  const store = createMemoryStore();
  const model = createScriptedModel((_request, turn) =>
    turn % 5 === 0 ? { calls: [{ name: 'get_weather', input: { city: 'Cluj' } }] } : `Answer ${turn}.`,
  );
  await using agent = agentWith(
    {
      echo: (input) => done(textOf(input)),
      ask: async (_input, scope) => done(textOf(await scope.ask('Who?'))),
    },
    { store, models: { model: () => model } },
  );
  const keys = createKeyStore(store);
  const add = async (name: string): Promise<string> =>
    (await keys.add({ name, user: name, roles: [], scopes: ['runs:read', 'runs:write', 'skills:read'] })).key;
  const [ana, bob] = [await add('ana'), await add('bob')];
  const reports: string[] = [];
  await using server = createServer(agent, { keys: true, report: (line) => reports.push(line) });
  const send = async (key: string, method: string, path: string, body?: string): Promise<Response> =>
    await server.fetch(
      new Request(`http://localhost/openai/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body }),
      }),
    );
  const asked = async (model: string, more: JsonObject): Promise<JsonObject> =>
    (await (await send(ana, 'POST', '/responses', JSON.stringify({ model, ...more }))).json()) as JsonObject;
  const own = await asked('skilled/echo', { input: secret, conversation: 'c' });
  const waiting = await asked('skilled/ask', { input: secret });
  const ids = [own['id'], waiting['id'], 'resp_0'].map(String);
  const runs = (await agent.runs.list()).map(({ id }) => `call_${id}_q_0`);

  await loop.rounds(async ({ random }) => {
    const [path, valid] = random.pick(bodies);
    let body: Json = valid;
    for (let times = random.below(4); times > 0; times -= 1) body = mutate(body, random);
    const written = JSON.stringify(body).replaceAll('"ID"', `"${random.pick(ids)}"`);
    const text = written.replaceAll('"CALL"', `"${random.pick(runs)}"`);
    const cut = random.below(20) === 0 ? text.slice(0, random.below(text.length)) : text;
    const id = random.pick(ids);
    const [method, at, sent] = random.pick([
      ['POST', path, cut],
      ['POST', path, cut],
      ['POST', path, cut],
      ['GET', `/responses/${id}`, undefined],
      ['DELETE', `/responses/${id}`, undefined],
      ['POST', `/responses/${id}/cancel`, '{}'],
      ['GET', `/models/${encodeURIComponent(random.pick(ids))}`, undefined],
    ] as const);
    const response = await send(bob, method, at, sent);
    const answer = await response.text();
    const shown = `${method} ${at} ${sent ?? ''}\n${response.status} ${answer}`.slice(0, 3_000);
    assert.ok(!answer.includes(secret), shown);
    assert.ok(!answer.includes('internal.bug'), `${shown}\n${reports.at(-1) ?? ''}`);
    if (response.status < 400) return;
    const { error } = JSON.parse(answer) as { readonly error?: { readonly code?: unknown } };
    assert.match(String(error?.code), /^[a-z]+\.[a-z-]+$/, shown);
  });
  assert.deepEqual(reports, []);
});
