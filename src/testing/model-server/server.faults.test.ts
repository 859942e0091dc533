import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { APICallError, type LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { providerClients, readStream, readWhole } from '../../../test/support/provider-clients.ts';
import { openModelServer } from './server.ts';
import type { ServedReply } from './script.ts';

const statuses = [400, 401, 403, 404, 413, 429, 500, 503, 529];

async function failureOf(work: Promise<unknown>): Promise<APICallError> {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(APICallError.isInstance(thrown), String(thrown));
  return thrown;
}

for (const { name, protocol, open } of providerClients) {
  describe(`what goes wrong as ${name} sees it`, () => {
    test('a status with its message and headers', async () => {
      const turns = statuses.map((status) => ({
        status,
        errorMessage: `No ${status}.`,
        headers: { 'retry-after': '7' },
      }));
      await using server = await openModelServer([...turns, ...turns]);
      const model = open(server.url);
      for (const read of [readStream, readWhole]) {
        for (const status of statuses) {
          const { statusCode, message, responseHeaders } = await failureOf(read(model));
          assert.deepEqual(
            [statusCode, message, responseHeaders?.['retry-after']],
            [status, `No ${status}.`, '7'],
          );
        }
      }
    });

    test("an error in the provider's own words", async () => {
      await using server = await openModelServer([
        { status: 429, errorCode: 'insufficient_quota' },
        { error: { code: 'model.too-long', message: 'At most 10.' } },
        { error: { code: 'model.busy', message: 'Later.', details: { retryAfterMs: 1500 } } },
        { error: { code: 'model.failed', message: 'Broken.' } },
        { reason: 'error', errorMessage: 'Broken.' },
      ]);
      const model = open(server.url);
      assert.match((await failureOf(readStream(model))).responseBody ?? '', /insufficient_quota/);
      const tooLong = await failureOf(readStream(model));
      assert.equal(tooLong.statusCode, 400);
      assert.match(tooLong.responseBody ?? '', /context_length_exceeded|prompt is too long/);
      const busy = await failureOf(readStream(model));
      assert.deepEqual([busy.statusCode, busy.responseHeaders?.['retry-after']], [429, '2']);
      for (const failed of [await failureOf(readStream(model)), await failureOf(readStream(model))]) {
        assert.deepEqual([failed.statusCode, failed.message], [500, 'Broken.']);
      }
    });

    test('a body that is nothing of the kind', async () => {
      await using server = await openModelServer([
        { status: 502, rawBody: '<h1>Bad gateway</h1>', headers: { 'content-type': 'text/html' } },
        { rawBody: 'data: {"broken\n\n', headers: { 'content-type': 'text/event-stream' } },
      ]);
      const model = open(server.url);
      const gateway = await failureOf(readStream(model));
      assert.deepEqual([gateway.statusCode, gateway.responseBody], [502, '<h1>Bad gateway</h1>']);
      const garbled = await readStream(model).then(
        (answer) => answer.errors.join(),
        (error: unknown) => String(error),
      );
      assert.notEqual(garbled, '');
    });

    test('an error in the middle of the stream, after some pieces, or before anything', async () => {
      const fault = { errorInStream: 529, errorMessage: 'Too much to do.' };
      await using server = await openModelServer([
        { text: 'one two three', ...fault },
        { text: 'one two three', ...fault, faultAfter: 1 },
        { text: 'one two three', error: { code: 'model.unavailable', message: 'Too much to do.' } },
        { text: 'one two three', ...fault },
      ]);
      const model = open(server.url);
      for (const text of ['one two three', 'one ', 'one two three']) {
        const answer = await readStream(model);
        assert.deepEqual([answer.text, answer.errors], [text, ['Too much to do.']]);
      }
      const whole = await failureOf(readWhole(model));
      assert.deepEqual([whole.statusCode, whole.message], [529, 'Too much to do.']);
    });

    test('a stream that ends without its finish', async () => {
      await using server = await openModelServer([
        { text: 'one two three', endWithoutFinish: true },
        { text: 'one two three', endWithoutFinish: true, faultAfter: 2 },
      ]);
      const model = open(server.url);
      for (const text of ['one two three', 'one two ']) {
        const answer = await readStream(model);
        assert.equal(answer.text, text);
        assert.ok(answer.finish === 'interrupted' || answer.finish === 'error', answer.finish);
      }
      assert.equal(server.requests[0]?.closedAt, undefined);
    });

    test('a connection that breaks in the middle', async () => {
      const turn: ServedReply = { text: 'one two three', cutAfter: 2 };
      await using server = await openModelServer([
        turn,
        turn,
        { ...turn, cutAfter: 99, split: 'awkward' },
        'Back.',
      ]);
      const model = open(server.url);
      let text = '';
      const listen = (part: LanguageModelV4StreamPart): void => {
        if (part.type === 'text-delta') text += part.delta;
      };
      await assert.rejects(readStream(model, {}, listen));
      assert.equal(text, 'one two ');
      await assert.rejects(readWhole(model));
      await assert.rejects(readStream(model));
      assert.equal((await readStream(model)).text, 'Back.');
      await assert.rejects(server.closed(0), { code: 'usage.not-found' });
    });

    for (const hang of [true, 'headers', 'request'] as const) {
      test(`silence (${String(hang)}) until the client leaves`, async () => {
        await using server = await openModelServer(() => ({ text: 'one two', hang, split: 'awkward' }));
        for (const [index, read] of [readStream, readWhole].entries()) {
          const controller = new AbortController();
          const reading = assert.rejects(read(open(server.url), { abortSignal: controller.signal }), {
            name: 'AbortError',
          });
          await server.waitForRequest(index);
          controller.abort();
          await reading;
          const closedAt = await server.closed(index);
          assert.equal(closedAt, server.requests[index]?.closedAt);
          assert.equal(server.requests[index]?.endedAt, undefined);
        }
      });
    }

    test('silence after the first words', async () => {
      await using server = await openModelServer([{ text: 'one two three', hang: true, faultAfter: 2 }]);
      const controller = new AbortController();
      let text = '';
      const reading = readStream(open(server.url), { abortSignal: controller.signal }, (part) => {
        if (part.type === 'text-delta') text += part.delta;
        if (text === 'one two ') controller.abort();
      });
      await assert.rejects(reading, { name: 'AbortError' });
      assert.equal(await server.closed(0), server.requests[0]?.closedAt);
    });

    test('slow words, and a client that leaves between them', async () => {
      await using server = await openModelServer([
        { text: 'one two', delayBeforeMs: 20, delayMs: 20 },
        { text: 'one two', delayMs: 600_000 },
        { text: 'one two', delayBeforeMs: 600_000 },
      ]);
      const model = open(server.url);
      assert.equal((await readStream(model)).text, 'one two');
      for (const index of [1, 2]) {
        const controller = new AbortController();
        const reading = assert.rejects(readStream(model, { abortSignal: controller.signal }));
        await server.waitForRequest(index);
        await wait(50); // without its pauses, the server would have finished by then
        controller.abort();
        await Promise.all([reading, server.closed(index)]);
      }
    });

    test('half a call is not a call', async () => {
      const calls = [{ name: 'read', input: { path: 'a/long/path/in/pieces' } }];
      await using server = await openModelServer([{ calls, errorInStream: 500, faultAfter: 1 }]);
      const answer = await readStream(open(server.url));
      assert.equal(answer.errors.length, 1);
      if (protocol !== 'openai-chat') assert.deepEqual(answer.calls, []); // that protocol does not mark the end of a call
      assert.notEqual(answer.calls[0]?.input, JSON.stringify(calls[0]?.input));
    });
  });
}
