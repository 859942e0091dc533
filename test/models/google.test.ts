import { createGoogle } from '@ai-sdk/google';
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import type { Json } from '../../src/core/json.ts';
import { collect, type Message, type ModelReply } from '../../src/core/model.ts';
import { fromAiSdk } from '../../src/models/ai-sdk/model.ts';

const bodies: string[] = [];
const answers: { readonly status: number; readonly body: string }[] = [];
const server = createServer((request, response) => {
  void text(request).then((body) => {
    bodies.push(body);
    const { status, body: answer } = answers.shift() ?? { status: 500, body: '' };
    response.writeHead(status, {
      'content-type': status === 200 ? 'text/event-stream' : 'application/json',
    });
    response.end(answer);
  });
});
before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
after(() => {
  server.closeAllConnections();
  server.close();
});

function answer(parts: Json, finishReason: string | undefined, usageMetadata: Json = {}): void {
  const chunk = { candidates: [{ content: { role: 'model', parts }, finishReason }], usageMetadata };
  answers.push({ status: 200, body: `data: ${JSON.stringify(chunk)}\r\n\r\n` });
}

function ask(messages: readonly Message[]): Promise<ModelReply> {
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1beta`;
  const model = fromAiSdk(createGoogle({ baseURL, apiKey: 'x' })('gemini-3.8-flash'), {
    price: { input: 1, output: 10 },
  });
  const tools = [{ name: 'read', description: 'Reads.', input: { type: 'object' } }];
  return collect(model.stream({ messages, tools }, new AbortController().signal));
}

const user: Message = { role: 'user', text: 'Go.' };

test('what Google signs goes back to it', async () => {
  answer(
    [
      { text: 'I should look.', thought: true },
      { functionCall: { name: 'read', args: { path: 'a' } }, thoughtSignature: 'c2lnbmVk' },
    ],
    'STOP',
    { promptTokenCount: 100, candidatesTokenCount: 5, thoughtsTokenCount: 15, totalTokenCount: 120 },
  );
  const { calls, native, reason, usage } = await ask([user]);
  assert.equal(reason, 'calls');
  assert.deepEqual(usage, { inputTokens: 100, outputTokens: 20, cost: 300 / 1e6 });
  assert.deepEqual(
    calls.map(({ name, input }) => [name, input]),
    [['read', { path: 'a' }]],
  );

  answer([{ text: 'Done.' }], 'STOP');
  const [call] = calls;
  assert.ok(call && native);
  const result: Message = { role: 'tool', callId: call.id, name: 'read', text: 'It is a.' };
  const reply = await ask([user, { role: 'assistant', text: '', calls, native }, result]);
  assert.equal(reply.text, 'Done.');
  const sent = bodies.at(-1) ?? '';
  assert.ok(sent.includes('"thoughtSignature":"c2lnbmVk"') && sent.includes('It is a.'), sent);
});

test('a wrong key, a blocked prompt, a call gone wrong and an answer without an end', async () => {
  const refusal = { error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT' } };
  answers.push({ status: 400, body: JSON.stringify(refusal) });
  assert.equal((await ask([user])).error?.code, 'model.denied');

  answers.push({ status: 200, body: 'data: {"promptFeedback": {"blockReason": "SAFETY"}}\n\n' });
  assert.equal((await ask([user])).reason, 'refused');

  answer([], 'MALFORMED_FUNCTION_CALL');
  const malformed = await ask([user]);
  assert.equal(malformed.error?.message, 'Google could not finish the answer: MALFORMED_FUNCTION_CALL.');

  answer([{ text: 'So far' }], undefined);
  const cut = await ask([user]);
  assert.deepEqual([cut.text, cut.reason, cut.error?.code], ['So far', 'error', 'model.failed']);
});
