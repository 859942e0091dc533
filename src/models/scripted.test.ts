import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { collect, noUsage, type ModelReply, type ModelRequest } from '../core/model.ts';
import { modelContract } from '../testing/model-contract.ts';
import { createScriptedModel, type Script, type ScriptedModel } from './scripted.ts';

const request: ModelRequest = { system: '1234', messages: [{ role: 'user', text: '12345' }] };
const never = new AbortController().signal;
const ask = (model: ScriptedModel, signal = never): Promise<ModelReply> =>
  collect(model.stream(request, signal));

async function textsOf(script: Script): Promise<readonly string[]> {
  const texts: string[] = [];
  await collect(createScriptedModel(script).stream(request, never), (text) => texts.push(text));
  return texts;
}

modelContract('scripted', {
  answering: (text) => createScriptedModel(() => ({ text, pieces: 7, delayMs: 1 })),
  calling: (calls) => createScriptedModel(() => ({ text: 'One moment.', calls })),
  hanging: () => createScriptedModel(() => ({ text: 'So far', hang: true })),
  failing: () => createScriptedModel([]),
});

test('texts are answers, and usage counts four characters as a token', async () => {
  const model = createScriptedModel(['Hello', 'You'], { id: 'test/one' });
  const usage = { inputTokens: 3, outputTokens: 2 };
  assert.equal(model.id, 'test/one');
  assert.deepEqual(await ask(model), { text: 'Hello', calls: [], reason: 'answer', usage });
  assert.deepEqual((await ask(model)).usage, { inputTokens: 3, outputTokens: 1 });
});

test('calls have ids of turn and index unless they bring one', async () => {
  const calls = [
    { name: 'a', input: { b: 1 } },
    { name: 'c', input: null, id: 'mine' },
  ];
  const model = createScriptedModel([{ calls }, { text: 'x', calls }]);
  const first = await ask(model);
  assert.deepEqual(first.calls, [
    { id: 'call-1-1', name: 'a', input: { b: 1 } },
    { id: 'mine', name: 'c', input: null },
  ]);
  assert.equal(first.reason, 'calls');
  assert.equal(first.usage.outputTokens, Math.ceil('a{"b":1}cnull'.length / 4));
  assert.equal((await ask(model)).calls[0]?.id, 'call-2-1');
});

test('the calls of a conversation count as input', async () => {
  const messages = [{ role: 'assistant', text: '', calls: [{ id: 'x', name: 'ab', input: 'cd' }] }] as const;
  const reply = await collect(createScriptedModel(['']).stream({ messages }, never));
  assert.deepEqual(reply.usage, { inputTokens: 2, outputTokens: 0 });
});

test('what a turn states is what comes', async () => {
  const error = { code: 'model.unavailable', message: 'Down.' } as const;
  const usage = { inputTokens: 100, outputTokens: 200, cost: 0.5 };
  const script = [
    { text: 'a', error, usage },
    { text: 'b', reason: 'length' },
    { usage: { cost: 1 } },
  ] as const;
  const model = createScriptedModel(script);
  assert.deepEqual(await ask(model), { text: 'a', calls: [], reason: 'error', usage, error });
  assert.equal((await ask(model)).reason, 'length');
  assert.deepEqual((await ask(model)).usage, { inputTokens: 3, outputTokens: 0, cost: 1 });
});

test('a text comes in as many pieces as asked, and never in empty or broken ones', async () => {
  assert.deepEqual(await textsOf([{ text: 'abcdefg', pieces: 3 }]), ['ab', 'cd', 'efg']);
  assert.deepEqual(await textsOf([{ text: '😀😀', pieces: 9 }]), ['😀', '😀']);
  assert.deepEqual(await textsOf([{ text: '', pieces: 3 }]), []);
  assert.deepEqual(await textsOf([{ text: 'ab', pieces: 0 }]), ['ab']);
});

test('after its last turn the script says that it is over', async () => {
  const model = createScriptedModel(['only']);
  await ask(model);
  const { reason, error, usage } = await ask(model);
  assert.equal(reason, 'error');
  assert.equal(error?.code, 'model.unavailable');
  assert.match(error.message, /\b1 turn\b.*request 2\.$/);
  assert.deepEqual(usage, noUsage);
});

test('a function decides by request and turn, may end the script and may fail', async () => {
  const model = createScriptedModel(({ system }, turn) => {
    if (turn === 3) throw new Error('oops');
    return turn === 2 ? undefined : `${system ?? ''} ${turn}`;
  });
  assert.equal((await ask(model)).text, '1234 1');
  assert.match((await ask(model)).error?.message ?? '', /\b1 turn\b/);
  assert.match((await ask(model)).error?.message ?? '', /failed on turn 3: oops/);
});

test('requests are kept as they were asked', async () => {
  const model = createScriptedModel(['a', 'b']);
  const messages = [...request.messages];
  await collect(model.stream({ messages }, never));
  messages.push({ role: 'assistant', text: 'a' });
  await collect(model.stream({ messages }, never));
  assert.deepEqual(
    model.requests.map((asked) => asked.messages.length),
    [1, 2],
  );
});

test('streams at once get the turns in the order in which they began', async () => {
  const model = createScriptedModel([{ text: 'first', delayMs: 5 }, 'second', 'third']);
  const streams = [0, 1, 2].map(() => model.stream(request, never));
  const replies = await Promise.all(streams.reverse().map((stream) => collect(stream)));
  assert.deepEqual(
    replies.map((reply) => reply.text),
    ['third', 'second', 'first'],
  );
});

test('a signal that is aborted already takes no turn', async () => {
  const model = createScriptedModel(['a']);
  assert.equal((await ask(model, AbortSignal.abort())).reason, 'aborted');
  assert.equal(model.requests.length, 0);
  assert.equal((await ask(model)).text, 'a');
});

test('an abort ends a delay at once, and what was said until then is counted', async () => {
  const controller = new AbortController();
  const model = createScriptedModel([
    { text: 'abcdefgh', pieces: 2, delayMs: 1 },
    { text: 'x', delayMs: 1e9 },
  ]);
  const reply = await collect(model.stream(request, controller.signal), () => controller.abort());
  assert.deepEqual([reply.text, reply.reason, reply.error?.code], ['abcd', 'aborted', 'model.aborted']);
  assert.deepEqual(reply.usage, { inputTokens: 3, outputTokens: 1 });
  assert.equal((await ask(model, AbortSignal.timeout(5))).reason, 'aborted');
});

test('no listener stays with the signal', async () => {
  const { signal } = new AbortController();
  const model = createScriptedModel(() => ({ text: 'abc', pieces: 3, delayMs: 1 }));
  for (let round = 0; round < 3; round++) await ask(model, signal);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});
