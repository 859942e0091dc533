import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic, { APIError, NotFoundError } from '@anthropic-ai/sdk';
import type { AgentOptions } from '../../agent/options.ts';
import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import { createScriptedModel, type Script } from '../../models/scripted.ts';
import {
  agentWith,
  askAbout,
  done,
  hang,
  textOf,
  until,
  type TestSkill,
} from '../../../test/support/kernel.ts';
import { createServer } from '../create-server.ts';

interface Stage extends AsyncDisposable {
  readonly agent: RecursiveSkilledAgent;
  readonly client: Anthropic;
  readonly url: string;
}

async function stage(
  skills: Readonly<Record<string, TestSkill>>,
  script: Script = [],
  options: AgentOptions = {},
): Promise<Stage> {
  const models = createScriptedModel(script);
  const agent = agentWith(skills, { models, instructions: 'You help.', ...options });
  const server = createServer(agent);
  const { url } = await server.listen();
  return {
    agent,
    url,
    client: new Anthropic({ baseURL: `${url}/anthropic`, apiKey: 'none', maxRetries: 2 }),
    async [Symbol.asyncDispose]() {
      await server.close({ drainMs: 0 });
      await agent.shutdown();
    },
  };
}

const guide: TestSkill = { instructions: 'Answer: $ARGUMENTS' };
const echo: TestSkill = (input) => done(textOf(input));
const base = { max_tokens: 100 };
const user = (content: string): Anthropic.MessageParam => ({ role: 'user', content });

function textIn({ content }: Anthropic.Message): string {
  return content.map((block) => (block.type === 'text' ? block.text : block.type)).join();
}

test('a message is answered with text and usage', async () => {
  await using at = await stage({ guide }, [{ text: 'Hello.', usage: { inputTokens: 7, outputTokens: 3 } }]);
  const message = await at.client.messages.create({
    ...base,
    model: 'skilled/guide',
    messages: [user('Say hello.')],
  });
  assert.equal(textIn(message), 'Hello.');
  assert.deepEqual(
    [message.stop_reason, message.usage.input_tokens, message.usage.output_tokens],
    ['end_turn', 7, 3],
  );
});

test('a message is streamed as it is written', async () => {
  await using at = await stage({ guide }, [{ text: 'One two three four.', pieces: 4 }]);
  const stream = at.client.messages.stream({ ...base, model: 'skilled/guide', messages: [user('Count.')] });
  const types: string[] = [];
  const parts: string[] = [];
  stream.on('streamEvent', ({ type }) => void types.push(type));
  stream.on('text', (text) => void parts.push(text));
  const message = await stream.finalMessage();
  assert.equal(textIn(message), 'One two three four.');
  assert.equal(parts.length, 4);
  assert.deepEqual(types, [
    'message_start',
    'content_block_start',
    ...parts.map(() => 'content_block_delta'),
    'content_block_stop',
    'message_delta',
    'message_stop',
  ]);
});

test('earlier messages and the system prompt reach the model', async () => {
  const models = createScriptedModel(['Ann.']);
  await using at = await stage({}, [], { models });
  await at.client.messages.create({
    ...base,
    model: 'skilled',
    system: 'Answer in one word.',
    messages: [user('I am Ann.'), { role: 'assistant', content: 'Hello.' }, user('Who am I?')],
  });
  const [request] = models.requests;
  assert.ok(request !== undefined);
  assert.match(request.system ?? '', /Answer in one word\./);
  const texts = request.messages.map(({ role, text }) => `${role}: ${text}`).join('\n');
  for (const part of ['user: I am Ann.', 'assistant: Hello.', 'Who am I?'])
    assert.ok(texts.includes(part), texts);
  await until(async () => (await at.agent.getActiveSessions()).length === 0);
});

test('the model answers with a result that has the schema', async () => {
  await using at = await stage({ guide }, [{ calls: [{ name: 'submit', input: { size: 4 } }] }]);
  const schema = {
    type: 'object',
    properties: { size: { type: 'number' } },
    required: ['size'],
    additionalProperties: false,
  };
  const message = await at.client.messages.create({
    ...base,
    model: 'skilled/guide',
    messages: [user('Which size?')],
    output_config: { format: { type: 'json_schema', schema } },
  });
  assert.deepEqual(JSON.parse(textIn(message)), { size: 4 });
});

test('images reach the model', async () => {
  const models = createScriptedModel(['Red.']);
  await using at = await stage({}, [], { models });
  const data =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } } as const;
  const content = [{ type: 'text', text: 'Which colour?' } as const, image];
  await at.client.messages.create({ ...base, model: 'skilled', messages: [{ role: 'user', content }] });
  const message = models.requests[0]?.messages.at(-1);
  assert.equal(message?.role === 'user' ? message.attachments?.[0]?.data : undefined, data);
});

test('a question ends the message, and the next message answers it', async () => {
  const ask: TestSkill = async (_, scope) => done(`Size ${textOf(await scope.ask('Which size?'))}.`);
  await using at = await stage({ ask });
  const first = { ...base, model: 'skilled/ask', messages: [user('Order.')] };
  const asked = await at.client.messages.create(first);
  assert.equal(textIn(asked), 'Which size?');
  const next = [...first.messages, { role: 'assistant' as const, content: asked.content }, user('M')];
  const stream = at.client.messages.stream({ ...first, messages: next });
  assert.equal(textIn(await stream.finalMessage()), 'Size M.');
  assert.equal((await at.agent.runs.list()).length, 1);
});

test('two conversations with the same words answer their own questions', async () => {
  const ask: TestSkill = async (_, scope) => done(`Size ${textOf(await scope.ask('Which size?'))}.`);
  await using at = await stage({ ask });
  const first = { ...base, model: 'skilled/ask', messages: [user('Order.')] };
  await at.client.messages.create(first);
  const asked = await at.client.messages.create(first);
  const answer = async (text: string): Promise<string> =>
    textIn(
      await at.client.messages.create({
        ...first,
        messages: [...first.messages, { role: 'assistant', content: asked.content }, user(text)],
      }),
    );
  const texts = await Promise.all([answer('M'), answer('L')]);
  assert.deepEqual(texts.toSorted(), ['Size L.', 'Size M.']);
});

test('a session keeps the conversation on the server', async () => {
  const ask: TestSkill = async (_, scope) => done(`Size ${textOf(await scope.ask('Which size?'))}.`);
  await using at = await stage({ ask });
  const headers = { 'x-skilled-session': 'one' };
  const send = async (text: string): Promise<string> =>
    textIn(
      await at.client.messages.create({ ...base, model: 'skilled/ask', messages: [user(text)] }, { headers }),
    );
  assert.equal(await send('Order.'), 'Which size?');
  assert.equal(await send('S'), 'Size S.');
});

test('an approval ends the message, and the next message decides it', async () => {
  const paid: string[] = [];
  const pay: TestSkill = () => done(String(paid.push('x')));
  const order: TestSkill = async (_, scope) => done((await scope.call('pay', {})).text);
  for (const [word, count] of [
    ['approve', 1],
    ['deny', 1],
  ] as const) {
    await using at = await stage({ pay, order }, [], { policy: askAbout('pay') });
    const first = { ...base, model: 'skilled/order', messages: [user('Order.')] };
    const asked = await at.client.messages.create(first);
    assert.match(textIn(asked), /r_\w+\.\w+/);
    const next = [...first.messages, { role: 'assistant' as const, content: textIn(asked) }, user(word)];
    await at.client.messages.create({ ...first, messages: next }).catch((thrown: unknown) => {
      assert.equal(word, 'deny', String(thrown));
    });
    assert.equal(paid.length, count);
  }
});

test('errors have the form of the API', async () => {
  let runs = 0;
  const fail: TestSkill = () => {
    runs += 1;
    throw new Error('no luck');
  };
  await using at = await stage({ echo, fail });
  const send = (model: string, messages = [user('Hi.')]): Promise<unknown> =>
    at.client.messages.create({ ...base, model, messages }).then(
      () => assert.fail('no error'),
      (thrown: unknown) => thrown,
    );
  assert.ok((await send('claude-9')) instanceof NotFoundError);
  assert.ok((await send('skilled/none')) instanceof NotFoundError);
  const bad = await send('skilled', []);
  assert.ok(bad instanceof APIError && bad.status === 400 && bad.type === 'invalid_request_error');
  const failed = await send('skilled/fail');
  assert.ok(failed instanceof APIError);
  assert.equal((failed.error as { error: { code: string } }).error.code, 'skill.failed');
  assert.equal(runs, 1);
  const stream = at.client.messages.stream({ ...base, model: 'skilled/fail', messages: [user('Hi.')] });
  await assert.rejects(stream.finalMessage(), APIError);
});

test('a client that aborts cancels its run', async () => {
  for (const isStream of [true, false]) {
    const begun = Promise.withResolvers<undefined>();
    const slow: TestSkill = (_, { signal }) => {
      begun.resolve(undefined);
      return hang(signal);
    };
    await using at = await stage({ slow });
    const body = { ...base, model: 'skilled/slow', messages: [user('Wait.')] };
    const stop = new AbortController();
    const work = isStream
      ? at.client.messages.stream(body, { signal: stop.signal }).finalMessage()
      : at.client.messages.create(body, { signal: stop.signal });
    await begun.promise;
    stop.abort();
    await assert.rejects(work);
    await until(async () => (await at.agent.runs.list())[0]?.status === 'cancelled');
  }
});

test('skills are models', async () => {
  await using at = await stage({ echo });
  const ids: string[] = [];
  for await (const model of at.client.models.list({ limit: 1 })) ids.push(model.id);
  assert.deepEqual(ids.slice(0, 2), ['skilled', 'skilled/echo']);
  assert.equal((await at.client.models.retrieve('skilled')).id, 'skilled');
  const count = await at.client.messages.countTokens({ model: 'skilled', messages: [user('Hi there.')] });
  assert.ok(count.input_tokens > 0);
});
