import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addUsage, collect, noUsage, type ModelEvent, type ModelReply } from './model.ts';

async function* pieces(...events: readonly unknown[]): AsyncGenerator<ModelEvent> {
  for (const event of events) yield event as ModelEvent;
}

function ended(usage: unknown): Promise<ModelReply> {
  return collect(pieces({ type: 'end', reason: 'answer', usage }));
}

describe('a whole answer', () => {
  test('has the pieces of its text in order, and its calls', async () => {
    const call = { id: 'c', name: 'n', input: {} };
    const received: string[] = [];
    const stream = pieces(
      { type: 'text', text: 'a' },
      { type: 'call', call },
      { type: 'text', text: 'b' },
      { type: 'end', reason: 'calls', usage: noUsage },
      { type: 'text', text: 'after the end' },
    );
    const reply = await collect(stream, (text) => received.push(text));
    assert.deepEqual(reply, { text: 'ab', calls: [call], reason: 'calls', usage: noUsage });
    assert.deepEqual(received, ['a', 'b']);
  });

  test('without an end was cut off', async () => {
    const { text, reason, error } = await collect(pieces({ type: 'text', text: 'half' }));
    assert.deepEqual([text, reason, error?.code], ['half', 'error', 'model.failed']);
  });

  test('counts nothing where a model leaves counts out or gives none', async () => {
    const none = [undefined, null, {}, { inputTokens: Number.NaN, outputTokens: -1, cost: -1 }];
    for (const usage of [
      ...none,
      { inputTokens: '7', outputTokens: Number.POSITIVE_INFINITY, cost: Number.NaN },
    ])
      assert.deepEqual((await ended(usage)).usage, noUsage, JSON.stringify(usage));
    assert.deepEqual((await ended({ outputTokens: 3, cost: 0 })).usage, {
      inputTokens: 0,
      outputTokens: 3,
      cost: 0,
    });
  });
});

test('the cost of two bills is known when that of either is', () => {
  const paid = { inputTokens: 1, outputTokens: 2, cost: 3 };
  assert.deepEqual(addUsage(noUsage, noUsage), noUsage);
  assert.deepEqual(addUsage(noUsage, paid), paid);
  assert.deepEqual(addUsage(paid, paid), { inputTokens: 2, outputTokens: 4, cost: 6 });
});
