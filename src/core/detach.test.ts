// Own process: measures memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detach, freeze } from './json.ts';

test('a detached value is equal and not the one given', () => {
  const value = {
    text: 'a text of some length',
    list: ['x', { y: 'another text, longer' }],
    none: null,
    flag: true,
  };
  const copy = detach(value);
  assert.deepEqual(copy, value);
  assert.notEqual(copy, value);
  assert.notEqual(copy.list, value.list);
});

test('freezing reaches every depth and leaves what is frozen alone', () => {
  const inner = { a: [1] };
  const value = freeze({ inner });
  assert.ok(Object.isFrozen(value) && Object.isFrozen(inner.a));
  assert.equal(freeze(value), value);
});

test('a piece of a large text does not keep the text in memory', () => {
  const collect = globalThis.gc;
  const pieces: string[] = [];
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < 200; index++) {
    const text = Buffer.alloc(200_000, `${index} words and more words `).toString('latin1');
    pieces.push(detach(text.slice(100, 150)));
  }
  collect?.();
  // Without `--expose-gc`, the engine must have collected garbage by itself: otherwise, it would hold 40 MB.
  assert.ok(process.memoryUsage().heapUsed - before < 30_000_000);
  assert.equal(pieces.length, 200);
});
