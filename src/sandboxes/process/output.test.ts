import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOutputBuffer, createTailBuffer } from './output.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

test('what fits is kept as it is', () => {
  const output = createOutputBuffer(10);
  output.add(bytes('12345'));
  output.add(bytes('67890'));
  assert.equal(output.text(), '1234567890');
  assert.equal(output.isCut(), false);
});

test('of what does not fit the head and the tail are kept, and how much is missing is said', () => {
  for (const size of [1, 3, 11, 4000]) {
    const output = createOutputBuffer(10);
    const whole = `abcde${'.'.repeat(3990)}vwxyz`;
    for (let at = 0; at < whole.length; at += size) output.add(bytes(whole.slice(at, at + size)));
    assert.ok(output.isCut());
    assert.equal(output.text(), 'abcde\n[… 3,990 characters left out …]\nvwxyz');
    assert.equal(output.text(), output.text());
  }
});

test('a letter that comes in two pieces is one letter', () => {
  const output = createOutputBuffer(100);
  const [first = 0, ...rest] = bytes('é😀');
  output.add(Uint8Array.of(first));
  for (const byte of rest) output.add(Uint8Array.of(byte));
  assert.equal(output.text(), 'é😀');
});

test('no half of a pair is left where text is cut', () => {
  const output = createOutputBuffer(10);
  output.add(bytes('😀'.repeat(50)));
  assert.ok(output.text().isWellFormed());
});

test('memory does not grow with the stream', () => {
  const output = createOutputBuffer(1000);
  const piece = Buffer.alloc(65_536, 'x');
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < 8000; count += 1) output.add(piece); // 524 MB
  assert.ok(process.memoryUsage().heapUsed - before < 250_000_000);
  assert.ok(output.text().length < 1100);
});

test('of what does not fit a tail buffer the end is kept, and how much is missing is said', () => {
  const whole = `${'.'.repeat(3995)}vwxyz`;
  for (const size of [1, 3, 11, 4000]) {
    const output = createTailBuffer(10);
    for (let at = 0; at < whole.length; at += size) output.add(bytes(whole.slice(at, at + size)));
    assert.equal(output.text(), '[… 3,990 characters left out …]\n.....vwxyz');
    assert.equal(output.text(5), '[… 3,995 characters left out …]\nvwxyz');
    assert.equal(output.text(0), '[… 4,000 characters left out …]\n');
    assert.equal(output.text(100), output.text());
  }
});

test('of what fits a tail buffer nothing is missing, unless less is asked for', () => {
  const output = createTailBuffer(10);
  assert.equal(output.text(), '');
  output.add(bytes('12345'));
  assert.equal(output.text(), '12345');
  assert.equal(output.text(3), '[… 2 characters left out …]\n345');
  const [first = 0, ...rest] = bytes('é😀');
  output.add(Uint8Array.of(first));
  for (const byte of rest) output.add(Uint8Array.of(byte));
  assert.equal(output.text(), '12345é😀');
  assert.ok(output.text(1).isWellFormed());
});
