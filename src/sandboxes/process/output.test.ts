import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKeptOutput } from './output.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

test('what fits is kept as it is', () => {
  const kept = createKeptOutput(10);
  kept.add(bytes('12345'));
  kept.add(bytes('67890'));
  assert.equal(kept.text(), '1234567890');
  assert.equal(kept.isCut(), false);
});

test('of what does not fit the head and the tail are kept, and how much is missing is said', () => {
  for (const size of [1, 3, 11, 4000]) {
    const kept = createKeptOutput(10);
    const whole = `abcde${'.'.repeat(3990)}vwxyz`;
    for (let at = 0; at < whole.length; at += size) kept.add(bytes(whole.slice(at, at + size)));
    assert.ok(kept.isCut());
    assert.equal(kept.text(), 'abcde\n[… 3,990 characters left out …]\nvwxyz');
    assert.equal(kept.text(), kept.text());
  }
});

test('a letter that comes in two pieces is one letter', () => {
  const kept = createKeptOutput(100);
  const [first = 0, ...rest] = bytes('é😀');
  kept.add(Uint8Array.of(first));
  for (const byte of rest) kept.add(Uint8Array.of(byte));
  assert.equal(kept.text(), 'é😀');
});

test('no half of a pair is left where text is cut', () => {
  const kept = createKeptOutput(10);
  kept.add(bytes('😀'.repeat(50)));
  assert.ok(kept.text().isWellFormed());
});

test('memory does not grow with the stream', () => {
  const kept = createKeptOutput(1000);
  const piece = Buffer.alloc(65_536, 'x');
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < 8000; count += 1) kept.add(piece); // 524 MB
  assert.ok(process.memoryUsage().heapUsed - before < 250_000_000);
  assert.ok(kept.text().length < 1100);
});
