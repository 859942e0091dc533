import type { LanguageModelV4, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';
import { MockLanguageModelV4 } from 'ai/test';
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { collect, type Message, type Model, type ModelReply, type ModelRequest } from '../../core/model.ts';
import { createRedactor } from '../../core/secrets/redact.ts';
import { modelContract } from '../../testing/model-contract.ts';
import { fromAiSdk, openAiSdkModel } from './model.ts';

type Part = LanguageModelV4StreamPart;

const never = new AbortController().signal;
const request: ModelRequest = { messages: [{ role: 'user', text: 'Hello.' }] };
const ask = (model: Model, asked = request, signal = never): Promise<ModelReply> =>
  collect(model.stream(asked, signal));

const usage: LanguageModelV4Usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};

function finish(unified: (Part & { type: 'finish' })['finishReason']['unified'], raw?: string): Part {
  return { type: 'finish', usage, finishReason: { unified, raw } };
}

function said(text: string, id = '0'): readonly Part[] {
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: text },
    { type: 'text-end', id },
  ];
}

function call(toolCallId: string, input = '{}', more: object = {}): Part {
  return { type: 'tool-call', toolCallId, toolName: 'read', input, ...more };
}

/** Creates a model that streams these parts. With `hangs`, the stream stays open at the end. */
function mock(parts: readonly Part[], { provider = 'mock.chat', hangs = false } = {}): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    provider,
    modelId: 'one',
    doStream: () => Promise.resolve({ stream: streamOf(parts, hangs) }),
  });
}

function streamOf(parts: readonly Part[], hangs: boolean): ReadableStream<Part> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      if (!hangs) controller.close();
    },
  });
}

const replyOf = (parts: readonly Part[], asked = request): Promise<ModelReply> =>
  ask(fromAiSdk(mock(parts)), asked);

modelContract('of the AI SDK', {
  answering: (text) =>
    fromAiSdk(
      mock([
        { type: 'text-start', id: '0' },
        ...Array.from(text).map((delta): Part => ({ type: 'text-delta', id: '0', delta })),
        finish('stop'),
      ]),
    ),
  calling: (calls) =>
    fromAiSdk(
      mock([
        ...calls.map(({ name, input }, index) => ({
          ...(call(`c${index}`, JSON.stringify(input)) as Part & { type: 'tool-call' }),
          toolName: name,
        })),
        finish('tool-calls'),
      ]),
    ),
  hanging: () => fromAiSdk(mock(said('So far'), { hangs: true })),
  failing: () =>
    fromAiSdk(new MockLanguageModelV4({ doStream: () => Promise.reject(new Error('It broke')) })),
});

test('the reason is honest whatever the provider says', async () => {
  const reasons = async (...parts: readonly Part[]): Promise<string> => (await replyOf(parts)).reason;
  assert.equal(await reasons(...said('Hi.'), finish('stop')), 'answer');
  assert.equal(await reasons(...said('Hi.'), finish('other', 'eos')), 'answer');
  assert.equal(await reasons(...said('Hi.'), finish('tool-calls')), 'answer');
  assert.equal(await reasons(...said('Hi.'), finish('length')), 'length');
  assert.equal(await reasons(...said('No.'), finish('content-filter')), 'refused');
  for (const unified of ['stop', 'length', 'tool-calls', 'other'] as const)
    assert.equal(await reasons(call('a'), finish(unified)), 'calls');
  for (const unified of ['error', 'interrupted'] as const)
    assert.equal(await reasons(call('a'), finish(unified)), 'error');
  assert.equal(await reasons(...said('Hi.'), finish('other', 'error')), 'error');
  assert.equal(await reasons(...said('Hi.')), 'error');
});

test('nothing after an error counts but the usage', async () => {
  const parts = [...said('So'), { type: 'error', error: { message: 'Oops' } } as const, ...said(' far', '1')];
  const reply = await replyOf([...parts, call('a'), finish('error')]);
  assert.deepEqual([reply.text, reply.calls, reply.reason], ['So', [], 'error']);
  assert.equal(reply.error?.message, 'mock could not finish the answer: Oops.');
  assert.deepEqual(reply.usage, { inputTokens: 10, outputTokens: 5 });
});

test('what a provider does by itself is not shown', async () => {
  const reply = await replyOf([
    { type: 'stream-start', warnings: [] },
    call('server', '{}', { providerExecuted: true }),
    { type: 'source', sourceType: 'url', id: 's', url: 'https://example.com' },
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'Hmm.' },
    { type: 'reasoning-end', id: 'r' },
    ...said('Hi.'),
    finish('stop'),
  ]);
  const bill = { inputTokens: 10, outputTokens: 5 };
  assert.deepEqual(reply, { text: 'Hi.', calls: [], reason: 'answer', usage: bill });
});

test('ids of calls are unique in the whole conversation', async () => {
  const messages: readonly Message[] = [
    { role: 'user', text: 'Go.' },
    { role: 'assistant', text: '', calls: [{ id: 'call_0', name: 'read', input: {} }] },
    { role: 'tool', callId: 'call_0', name: 'read', text: 'x' },
  ];
  const signed = { providerMetadata: { mock: { signature: 's' } } };
  const { calls, native } = await replyOf(
    [call('call_0', '{}', signed), call('call_0'), call(''), finish('stop')],
    { messages },
  );
  const ids = calls.map(({ id }) => id);
  assert.deepEqual(ids, ['call_0-2', 'call_0-3', 'call']);
  const content = native?.content as unknown as readonly { readonly toolCallId: string }[];
  assert.deepEqual(
    content.map(({ toolCallId }) => toolCallId),
    ids,
  );
});

test('an abort ends it even when the provider does not listen', async () => {
  const controller = new AbortController();
  const answer = Promise.withResolvers<{ stream: ReadableStream<Part> }>();
  const asked = Promise.withResolvers<undefined>();
  const deaf = new MockLanguageModelV4({
    doStream() {
      asked.resolve(undefined);
      return answer.promise;
    },
  });
  const reading = ask(fromAiSdk(deaf), request, controller.signal);
  await asked.promise;
  controller.abort();
  assert.equal((await reading).reason, 'aborted');

  const cancelled = Promise.withResolvers<boolean>();
  answer.resolve({ stream: new ReadableStream({ cancel: () => cancelled.resolve(true) }) });
  assert.equal(await cancelled.promise, true, 'the stream that came too late stays open');
});

test('a signal that is aborted already is not even asked', async () => {
  const model = mock(said('Hi.'));
  assert.equal((await ask(fromAiSdk(model), request, AbortSignal.abort())).reason, 'aborted');
  assert.equal(model.doStreamCalls.length, 0);
});

test('no listener stays with the signal', async () => {
  const { signal } = new AbortController();
  const model = fromAiSdk(mock([...said('Hi.'), finish('stop')]));
  for (let round = 0; round < 3; round++) await ask(model, request, signal);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('a connection that stays open after the last part does not keep the answer', async () => {
  const reply = await ask(fromAiSdk(mock([...said('Hi.'), finish('stop')], { hangs: true })));
  assert.deepEqual([reply.text, reply.reason], ['Hi.', 'answer']);
});

test('it is known by its provider and name, and its price comes from the table', async () => {
  const named = (provider: string, modelId: string): LanguageModelV4 =>
    Object.assign(mock([...said('Hi.'), finish('stop')], { provider }), { modelId });
  const known = fromAiSdk(named('anthropic.messages', 'claude-sonnet-4-5-20250929'));
  assert.equal(known.id, 'anthropic/claude-sonnet-4-5-20250929');
  assert.equal((await ask(known)).usage.cost, (10 * 3 + 5 * 15) / 1e6);
  const own = fromAiSdk(named('x', 'y'), { id: 'mine/best', price: { input: 1, output: 2 } });
  assert.equal(own.id, 'mine/best');
  assert.equal((await ask(own)).usage.cost, 20 / 1e6);
  assert.equal((await ask(fromAiSdk(named('x', 'y')))).usage.cost, undefined);
});

test('a model is opened once, with the first request, and again after it failed', async () => {
  let opened = 0;
  const asked = { id: 'a/b', model: 'b', label: 'A', redact: createRedactor([]) };
  const model = openAiSdkModel({
    asked,
    price: undefined,
    open() {
      opened++;
      if (opened === 1) return Promise.reject(new Error('Not yet'));
      return Promise.resolve(mock([...said('Hi.'), finish('stop')]));
    },
  });
  assert.equal(opened, 0);
  assert.match((await ask(model)).error?.message ?? '', /Not yet/);
  await Promise.all([ask(model), ask(model)]);
  assert.equal((await ask(model)).text, 'Hi.');
  assert.equal(opened, 2);
});
