import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Json, JsonObject } from '../../src/core/json.ts';
import {
  collect,
  type Message,
  type Model,
  type ModelReply,
  type ModelRequest,
} from '../../src/core/model.ts';
import { fromAiSdk } from '../../src/models/ai-sdk/model.ts';
import { isPassing } from '../../src/models/fallback.ts';
import { modelContract } from '../../src/testing/model-contract.ts';
import { openModelServer, type ModelServer } from '../../src/testing/model-server/server.ts';
import type { ServedReply, ServedScript } from '../../src/testing/model-server/script.ts';
import { settled } from '../support/deadline.ts';

const key = 'sk-test-4f9a8b7c6d5e4f3a2b1c0d9e';
const price = { input: 10, output: 100, cached: 1, cacheWrite: 20 };
const never = new AbortController().signal;
const tools = [
  {
    name: 'read',
    description: 'Reads.',
    input: { type: 'object', properties: { path: { type: 'string' } } },
  },
  { name: 'note', description: 'Notes.', input: {} },
];
const request: ModelRequest = { system: 'Be brief.', messages: [{ role: 'user', text: 'Hello.' }], tools };
const ask = (model: Model, asked: ModelRequest = request, signal = never): Promise<ModelReply> =>
  collect(model.stream(asked, signal));

// The packages' results for a server, each with its own protocol.
const providers: Readonly<Record<string, (url: string) => Model>> = {
  '@ai-sdk/openai-compatible': (baseURL) =>
    fromAiSdk(
      createOpenAICompatible({
        name: 'local',
        baseURL,
        apiKey: key,
        includeUsage: true,
        supportsStructuredOutputs: true,
      }).chatModel('some/model'),
      { price },
    ),
  '@ai-sdk/openai': (baseURL) =>
    fromAiSdk(createOpenAI({ baseURL, apiKey: key }).responses('gpt-6-astra'), { price }),
  '@ai-sdk/openai of old': (baseURL) =>
    fromAiSdk(createOpenAI({ baseURL, apiKey: key }).chat('gpt-4.1'), { price }),
  '@ai-sdk/anthropic': (baseURL) =>
    fromAiSdk(createAnthropic({ baseURL, apiKey: key })('claude-sonnet-5-5'), { price }),
};

for (const [name, open] of Object.entries(providers)) {
  const servers: ModelServer[] = [];
  after(() => Promise.all(servers.map((server) => server.close())));
  const serving = async (script: ServedScript): Promise<Model> => {
    const server = await openModelServer(script);
    servers.push(server);
    return open(`${server.url}/v1`);
  };

  modelContract(name, {
    answering: (text) => serving(() => ({ text, pieces: 7, delayMs: 1 })),
    calling: (calls) => serving(() => ({ calls })),
    hanging: () => serving(() => ({ text: 'So far', hang: true })),
    failing: () => serving(() => ({ status: 500, errorMessage: 'It broke' })),
  });

  describe(`through ${name}`, () => {
    /** Returns the answer to one request, and the request that the server received. */
    const answerOf = async (turn: ServedReply, asked = request): Promise<Answer> => {
      await using server = await openModelServer([turn]);
      const pieces: string[] = [];
      const stream = open(`${server.url}/v1`).stream(asked, never);
      const reply = await collect(stream, (text) => pieces.push(text));
      return { ...reply, pieces, body: server.requests[0]?.body ?? {} };
    };

    test('text streams piece by piece, whatever the bytes are cut into', async () => {
      const text = 'Ünïcode 😀, "quotes" and\nlines: data: x';
      const { pieces, text: whole } = await answerOf({ text, pieces: 5 });
      assert.equal(whole, text);
      assert.equal(pieces.length, 5);
      assert.equal((await answerOf({ text, split: 'awkward', crlf: true })).text, text);
    });

    test('two calls at once, and calls that cannot be read', async () => {
      const calls = [
        { name: 'read', input: { path: 'a' } },
        { name: 'read', rawInput: '{"path": "b' },
        { name: 'note', rawInput: '' },
      ];
      const reply = await answerOf({ text: 'I look.', calls });
      assert.equal(reply.reason, 'calls');
      assert.equal(reply.text, 'I look.');
      const [first, broken, empty] = reply.calls;
      assert.deepEqual([first?.input, first?.fault], [{ path: 'a' }, undefined]);
      assert.equal(broken?.input, '{"path": "b');
      assert.match(broken.fault ?? '', /^The arguments are not JSON: /);
      assert.deepEqual([empty?.input, empty?.fault], [{}, undefined]);
    });

    test('usage and cost, with what a cache had', async () => {
      const usage = { inputTokens: 1000, outputTokens: 50, cachedTokens: 400 };
      const reply = await answerOf({ text: 'Hi.', usage });
      assert.deepEqual(reply.usage, { ...usage, cost: (600 * 10 + 400 * 1 + 50 * 100) / 1e6 });
    });

    test('why it stopped', async () => {
      assert.equal((await answerOf({ text: 'Too', reason: 'length' })).reason, 'length');
      assert.equal((await answerOf({ text: 'No.', reason: 'refused' })).reason, 'refused');
      assert.equal((await answerOf({ text: 'Yes.' })).reason, 'answer');
    });

    test('system text, tools, effort and limits arrive', async () => {
      const { body } = await answerOf({ text: 'Hi.' }, { ...request, effort: 'high', maxTokens: 4000 });
      const sent = JSON.stringify(body);
      for (const text of ['Be brief.', 'Hello.', '"read"', 'Reads.', '"high"', '4000'])
        assert.ok(sent.includes(text), `${text} is not in ${sent}`);
      assert.ok(!sent.includes('"strict":true'), sent);
    });

    test('a schema for the answer arrives, and is not made stricter', async () => {
      const output = { type: 'object', properties: { city: { type: 'string' }, zip: { type: 'string' } } };
      const { messages } = request;
      const { body, text } = await answerOf({ text: '{"city": "Ulm"}' }, { messages, output });
      assert.equal(text, '{"city": "Ulm"}');
      assert.ok(JSON.stringify(body).includes('"zip"'));
      assert.ok(!JSON.stringify(body).includes('"strict":true'), JSON.stringify(body));
    });

    test('each refusal has its code, and says whether to ask again', async () => {
      const cases = [
        [{ status: 401, errorMessage: `Wrong key ${key}` }, 'model.denied', false],
        [{ status: 403, errorMessage: 'Not in your region' }, 'model.denied', false],
        [{ status: 404, errorMessage: 'No such thing' }, 'model.not-found', false],
        [{ status: 429, errorMessage: 'Slow down', headers: { 'retry-after': '7' } }, 'model.busy', true],
        [{ status: 503, errorMessage: 'Loading the model' }, 'model.busy', true],
        [{ status: 529, errorMessage: 'Overloaded' }, 'model.busy', true],
        [{ status: 408, errorMessage: 'Too slow' }, 'model.timeout', true],
        [{ status: 500, errorMessage: 'Oops' }, 'model.failed', true],
        [{ status: 502, rawBody: '<html>Bad gateway</html>' }, 'model.failed', true],
        [{ status: 400, errorMessage: 'No images please' }, 'model.failed', false],
        [{ status: 400, errorMessage: 'prompt is too long: 300000 tokens' }, 'model.too-long', false],
      ] as const;
      for (const [turn, code, passing] of cases) {
        const { error, reason } = await answerOf(turn);
        assert.deepEqual([reason, error?.code], ['error', code], JSON.stringify({ turn, error }));
        assert.ok(error);
        assert.equal(isPassing(error), passing, JSON.stringify({ turn, error }));
        assert.match(error.message, /[.…]$/);
        assert.ok(!JSON.stringify(error).includes(key), error.message);
        assert.ok(!error.message.includes('\n'), error.message);
      }
    });

    test('what a provider says about itself is passed on', async () => {
      const busy = await answerOf({
        status: 429,
        errorMessage: 'Slow down',
        headers: { 'retry-after': '7' },
      });
      assert.deepEqual(busy.error?.details, { status: 429, retryAfterMs: 7000, passing: true });
      assert.match(busy.error.message, /is busy \(429\): Slow down\.$/);
      const long = await answerOf({ status: 400, errorMessage: 'x\n'.repeat(1000) });
      assert.ok((long.error?.message.length ?? 0) < 400);
    });

    test('an answer that breaks off is an error, whichever way it does', async () => {
      const text = 'A long answer that goes on';
      for (const turn of [
        { text, pieces: 5, cutAfter: 2 },
        { text, pieces: 5, endWithoutFinish: true, faultAfter: 3 },
        { text, pieces: 5, endWithoutFinish: true },
        { text: '', endWithoutFinish: true },
      ]) {
        const { error, reason } = await answerOf(turn);
        assert.equal(reason, 'error', JSON.stringify(turn));
        assert.equal(error?.code, 'model.failed', JSON.stringify({ turn, error }));
        assert.ok(isPassing(error), JSON.stringify({ turn, error }));
      }
    });

    test('an error inside the stream is the end, and its kind is reported', async () => {
      const text = 'A long answer that goes on';
      const { error, text: said } = await answerOf({ text, pieces: 5, errorInStream: 529, faultAfter: 2 });
      assert.equal(error?.code, 'model.busy', JSON.stringify(error));
      assert.ok(text.startsWith(said) && said !== '' && said !== text, said);
      const early = await answerOf({ text, errorInStream: 500, faultAfter: 0 });
      assert.equal(early.error?.code, 'model.failed', JSON.stringify(early.error));
      assert.ok(isPassing(early.error));
    });

    test('something that is not an answer at all is an error', async () => {
      for (const rawBody of ['<html>Welcome to your router</html>', '', 'data: {"nonsense": true}\n\n']) {
        const { error, reason } = await answerOf({ rawBody, status: 200 });
        assert.deepEqual(
          [reason, error?.code],
          ['error', 'model.failed'],
          JSON.stringify({ rawBody, error }),
        );
      }
    });

    test('an abort closes the connection, in the middle of a text and while nothing comes', async () => {
      const turns: readonly ServedReply[] = [
        { text: 'word '.repeat(50), pieces: 50, delayMs: 5 },
        { hang: 'headers' },
        { hang: 'request' },
        { text: 'So far', hang: true },
      ];
      for (const turn of turns) {
        await using server = await openModelServer([turn]);
        const controller = new AbortController();
        const reading = collect(open(`${server.url}/v1`).stream(request, controller.signal), () =>
          controller.abort(),
        );
        await server.waitForRequest(0);
        if (turn.text === undefined) controller.abort();
        const { reason, error } = await reading;
        assert.deepEqual([reason, error?.code], ['aborted', 'model.aborted'], JSON.stringify(turn));
        await settled(server.closed(0), 'the end of the connection');
      }
    });

    test('a reader that leaves closes the connection', async () => {
      await using server = await openModelServer([{ text: 'word '.repeat(50), pieces: 50, delayMs: 5 }]);
      for await (const event of open(`${server.url}/v1`).stream(request, never)) {
        assert.equal(event.type, 'text');
        break;
      }
      await server.closed(0);
    });

    test('a server that is not there is named', async () => {
      const server = await openModelServer([]);
      await server.close();
      const { error } = await ask(open(`${server.url}/v1`));
      assert.equal(error?.code, 'model.unavailable');
      assert.ok(error.message.startsWith(`Connection refused at ${server.url}`), error.message);
    });

    test('a conversation continues with results and with what the provider thought', async () => {
      await using server = await openModelServer([
        {
          reasoning: 'I should look.',
          signature: 'c2lnbmVk',
          text: 'I look.',
          calls: [
            { name: 'read', input: { path: 'a' }, id: 'one' },
            { name: 'read', rawInput: '{broken', id: 'two' },
          ],
        },
        'Done.',
      ]);
      const model = open(`${server.url}/v1`);
      const first = await ask(model);
      const { text, calls, native } = first;
      const results = calls.map(({ id, name }): Message => ({
        role: 'tool',
        callId: id,
        name,
        text: `It is ${id}.`,
      }));
      const turn: Message = { role: 'assistant', text, calls, ...(native === undefined ? {} : { native }) };
      // As read from a store.
      const restored = JSON.parse(JSON.stringify([...request.messages, turn, ...results])) as Message[];
      assert.equal((await ask(model, { ...request, messages: restored })).text, 'Done.');

      const sent = JSON.stringify(conversationIn(server.requests[1]?.body ?? {}));
      for (const piece of ['I look.', 'It is one.', 'It is two.', '{broken'.slice(1)])
        assert.ok(sent.includes(piece), `${piece} is not in ${sent}`);
      checkReasoning(name, sent);
      assert.equal(sent.split('I look.').length, 2, sent);

      // Another provider receives the turn without provider data.
      await using other = await openModelServer(['Fine.']);
      const stranger = restored.map((message) =>
        message.role === 'assistant' && message.native !== undefined
          ? { ...message, native: { ...message.native, provider: 'someone.else' } }
          : message,
      );
      assert.equal((await ask(open(`${other.url}/v1`), { ...request, messages: stranger })).text, 'Fine.');
      assert.ok(!JSON.stringify(other.requests[0]?.body).includes('I should look.'));
      assert.ok(!JSON.stringify(other.requests[0]?.body).includes('c2lnbmVk'));
    });
  });
}

interface Answer extends ModelReply {
  readonly pieces: readonly string[];
  readonly body: JsonObject;
}

function conversationIn(body: JsonObject): Json {
  return body['messages'] ?? body['input'] ?? null;
}

/** Checks the reasoning data that each protocol must receive again. */
function checkReasoning(name: string, sent: string): void {
  if (name === '@ai-sdk/anthropic') {
    assert.ok(sent.includes('"thinking":"I should look."') && sent.includes('"signature":"c2lnbmVk"'), sent);
  } else if (name === '@ai-sdk/openai') {
    assert.ok(sent.includes('"encrypted_content":"c2lnbmVk"') && !sent.includes('item_reference'), sent);
  } else if (name === '@ai-sdk/openai-compatible') {
    assert.ok(sent.includes('"reasoning_content":"I should look."'), sent);
  }
}

test('OpenAI keeps nothing, and is asked for its reasoning', async () => {
  await using server = await openModelServer(['Hi.']);
  await ask(fromAiSdk(createOpenAI({ baseURL: `${server.url}/v1`, apiKey: key }).responses('gpt-6-astra')));
  const { store, include } = server.requests[0]?.body ?? {};
  assert.equal(store, false);
  assert.deepEqual(include, ['reasoning.encrypted_content']);
});

test('Anthropic may keep the beginning of a conversation that continues', async () => {
  await using server = await openModelServer(['Hi.', 'Hi.']);
  const model = fromAiSdk(createAnthropic({ baseURL: `${server.url}/v1`, apiKey: key })('claude-sonnet-5-5'));
  await ask(model);
  await ask(model, { messages: request.messages });
  const [withTools, alone] = server.requests.map(
    ({ body }) => JSON.stringify(body).split('"ephemeral"').length - 1,
  );
  assert.deepEqual([withTools, alone], [2, 0]);
});

test('an answer is read to its end, so that its connection can be used again', async () => {
  await using server = await openModelServer(() => 'Hi.');
  const model = fromAiSdk(createAnthropic({ baseURL: `${server.url}/v1`, apiKey: key })('claude-sonnet-5-5'));
  for (let round = 0; round < 3; round++) assert.equal((await ask(model)).text, 'Hi.');
  assert.ok(
    server.requests.every(({ endedAt, closedAt }) => endedAt !== undefined && closedAt === undefined),
  );
});
