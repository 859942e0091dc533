import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { openModelServer } from './server.ts';
import type { WireFrame } from './frames.ts';
import { splitFrames } from './frames.ts';
import type { ServedSplit } from './script.ts';

const frames: readonly WireFrame[] = [
  'data: {"a":"é😀"}\r\n\r\n',
  'event: x\r\ndata: {"b":"天"}\r\n\r\n',
  'data: {}\r\n\r\n',
  'data: [DONE]\r\n\r\n',
].map((text, index) => ({ bytes: Buffer.from(text), part: index < 3 ? 'piece' : 'closing' }));

function textsOf(split: ServedSplit): readonly string[] {
  return splitFrames(frames, split).map((chunk) => Buffer.from(chunk.bytes).toString('latin1'));
}

describe('splitFrames', () => {
  test('changes neither the bytes nor the number of pieces, wherever it cuts', () => {
    const all = Buffer.concat(frames.map((frame) => frame.bytes));
    const anySplit = fc.oneof(
      fc.constantFrom<ServedSplit>('natural', 'awkward', 'bytes', 'together'),
      fc.array(fc.integer({ min: -5, max: all.length + 5 })),
    );
    fc.assert(
      fc.property(anySplit, (split) => {
        const chunks = splitFrames(frames, split);
        assert.deepEqual(Buffer.concat(chunks.map((chunk) => chunk.bytes)), all);
        assert.equal(
          chunks.map((chunk) => chunk.pieces).reduce((sum, pieces) => sum + pieces),
          3,
        );
        assert.ok(chunks.every((chunk) => chunk.bytes.length > 0));
      }),
    );
  });

  test('cuts at the given places, and nowhere else', () => {
    assert.deepEqual(
      textsOf([3, 4])
        .map((text) => text.length)
        .slice(0, 2),
      [3, 1],
    );
    assert.equal(textsOf([3, 4]).length, 3);
    assert.equal(textsOf('together').length, 1);
    assert.equal(textsOf('natural').length, frames.length);
    assert.ok(textsOf('bytes').every((text) => text.length === 1));
  });

  test('awkward cuts are inside of characters, line ends and field names, and events share a chunk', () => {
    const texts = textsOf('awkward');
    const isCut = (left: RegExp, right: RegExp): boolean =>
      texts.some((text, index) => left.test(text) && right.test(texts[index + 1] ?? ''));
    assert.ok(isCut(/[\xc2-\xf4]$/, /^[\x80-\xbf]/), 'a character');
    assert.ok(isCut(/\r$/, /^\n/), 'CR and LF');
    assert.ok(isCut(/(?:^|\n)da$/, /^ta:/), 'a field name');
    assert.ok(
      texts.slice(0, 10).every((text) => text.length === 1),
      'the first event byte by byte',
    );
    assert.ok(
      texts.some((text) => /\n.*data: \{\}/s.test(text)),
      'the end of an event and the next one',
    );
  });
});

test('a client gets the chunks as they were cut', async () => {
  await using server = await openModelServer([
    { text: 'é', split: 'bytes' },
    { text: 'é', split: 'together' },
  ]);
  const ask = async (): Promise<readonly number[]> => {
    const response = await fetch(`${server.url}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify({ model: 'any', stream: true }),
    });
    const sizes: number[] = [];
    const body: AsyncIterable<Uint8Array> | null = response.body;
    for await (const chunk of body ?? []) sizes.push(chunk.length);
    return sizes;
  };
  const alone = await ask();
  const together = await ask();
  assert.equal(together.length, 1);
  assert.ok(alone.length > 0.9 * (together[0] ?? 0), 'a busy machine may join a few, not more');
});
