import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import {
  providerClients,
  readStream,
  readWhole,
  type Received,
} from '../../../test/support/provider-clients.ts';
import { createScriptedModel, type ScriptedTurn } from '../../models/scripted.ts';
import { collect } from '../../core/model.ts';
import { openModelServer } from './server.ts';
import type { ServedReply } from './script.ts';

const ways: readonly (readonly [string, (model: LanguageModelV4) => Promise<Received>])[] = [
  ['in a stream', readStream],
  ['as a whole', readWhole],
];

for (const { name, protocol, open } of providerClients) {
  for (const [way, read] of ways) {
    const ask = async (turn: ServedReply): Promise<Received> => {
      await using server = await openModelServer([turn]);
      const answer = await read(open(server.url));
      assert.equal(server.requests[0]?.protocol, protocol);
      return answer;
    };

    describe(`what ${name} understands ${way}`, () => {
      test('two calls at once, after a text', async () => {
        const input = { path: 'ä/"b".md', lines: [1, 2], deep: { yes: true, none: null } };
        const answer = await ask({
          text: 'I look.',
          calls: [
            { name: 'read', input },
            { name: 'note', input: {}, id: 'mine' },
          ],
        });
        assert.deepEqual(answer.calls, [
          { id: 'call-1-1', name: 'read', input: JSON.stringify(input) },
          { id: 'mine', name: 'note', input: '{}' },
        ]);
        assert.deepEqual([answer.text, answer.finish, answer.errors], ['I look.', 'tool-calls', []]);
      });

      test('arguments that are not JSON', async () => {
        const { calls } = await ask({ calls: [{ name: 'read', rawInput: '{"path": "a\\' }] });
        const asText = protocol === 'anthropic-messages' && way === 'as a whole';
        assert.equal(calls[0]?.input, asText ? '"{\\"path\\": \\"a\\\\"' : '{"path": "a\\');
      });

      test('what was used, with what came from a cache', async () => {
        const usage = { inputTokens: 100, outputTokens: 7, cachedTokens: 60, cacheWriteTokens: 30 };
        const { inputTokens, outputTokens, cachedTokens, cacheWriteTokens } = await ask({
          text: 'Yes.',
          usage,
        });
        assert.deepEqual(
          { inputTokens, outputTokens, cachedTokens },
          { inputTokens: 100, outputTokens: 7, cachedTokens: 60 },
        );
        // This package does not read it.
        assert.equal(cacheWriteTokens, name === 'openai-compatible' ? undefined : 30);
      });

      test('usage that no one stated is counted', async () => {
        const { inputTokens = 0, outputTokens } = await ask({ text: 'Twelve chars' });
        assert.equal(outputTokens, 3);
        assert.ok(inputTokens > 10);
      });

      test('why it stopped', async () => {
        const finishes = async (turn: ServedReply): Promise<string | undefined> => (await ask(turn)).finish;
        assert.equal(await finishes({ text: 'Whole.' }), 'stop');
        assert.equal(await finishes({ text: 'Cut o', reason: 'length' }), 'length');
        assert.equal(await finishes({ reason: 'refused' }), 'content-filter');
        assert.equal(
          await finishes({ error: { code: 'model.length', message: 'Too long.' }, text: 'Cut o' }),
          'length',
        );
        assert.equal(await finishes({ text: 'Whole.', rawReason: 'never heard of' }), 'other');
        const refused = await ask({ text: 'I may not.', reason: 'refused' });
        assert.deepEqual([refused.text, refused.finish], ['I may not.', 'content-filter']);
      });

      test('an empty answer', async () => {
        const { text, calls, finish } = await ask({ text: '' });
        assert.deepEqual([text, calls, finish], ['', [], 'stop']);
      });

      test('reasoning, and what the provider wants back with it', async () => {
        const { text, reasoning, metadata } = await ask({
          text: 'So.',
          reasoning: 'Hm, well.',
          signature: 'sealed',
        });
        assert.equal(text, 'So.');
        if (name === 'openai chat') return; // it has no reasoning
        assert.equal(reasoning, 'Hm, well.');
        if (protocol === 'anthropic-messages') assert.match(JSON.stringify(metadata), /"signature":"sealed"/);
        assert.doesNotMatch(
          JSON.stringify(metadata),
          /"reasoningEncryptedContent":"sealed"/,
          'nobody asked for it',
        );
      });
    });
  }

  test(`calls in one answer to ${name} come ${protocol === 'anthropic-messages' ? 'one after the other' : 'interleaved'}`, async () => {
    const input = { text: 'long enough for some pieces' };
    await using server = await openModelServer([
      {
        calls: [
          { name: 'read', input },
          { name: 'note', input },
        ],
      },
    ]);
    const order: string[] = [];
    const note = (part: LanguageModelV4StreamPart): void => {
      if (part.type === 'tool-input-delta') order.push(part.id);
    };
    await readStream(open(server.url), {}, note);
    const changes = order.filter((id, index) => id !== order[index - 1]).length;
    assert.ok(protocol === 'anthropic-messages' ? changes === 2 : changes > 4, order.join(' '));
  });
}

test('OpenAI sends encrypted reasoning to those who ask for it', async () => {
  const turn = { text: 'So.', reasoning: 'Hm.', signature: 'sealed' };
  await using server = await openModelServer([turn, turn]);
  const model = providerClients.find((client) => client.protocol === 'openai-responses')!.open(server.url);
  const options = { providerOptions: { openai: { store: false, include: ['reasoning.encrypted_content'] } } };
  for (const read of [readStream, readWhole]) {
    assert.match(
      JSON.stringify((await read(model, options)).metadata),
      /"reasoningEncryptedContent":"sealed"/,
    );
  }
});

test('one script serves a scripted model and a server', async () => {
  const script: readonly ScriptedTurn[] = [
    'Hello.',
    {
      text: 'I look.',
      pieces: 2,
      calls: [{ name: 'read', input: { path: 'a' } }],
      usage: { inputTokens: 9 },
    },
    { text: 'Cut o', reason: 'length' },
  ];
  await using server = await openModelServer(script);
  const model = createScriptedModel(script);
  for (const finish of ['stop', 'tool-calls', 'length']) {
    const expected = await collect(model.stream({ messages: [] }, new AbortController().signal));
    const received = await readStream(providerClients[0]!.open(server.url));
    assert.deepEqual(
      received.calls.map(({ id, name, input }) => ({ id, name, input: JSON.parse(input) as unknown })),
      expected.calls,
    );
    assert.deepEqual([received.text, received.finish], [expected.text, finish]);
  }
});
