import assert from 'node:assert/strict';
import { test } from 'node:test';
import { omissionLine, readOmission } from './omission.ts';

test('a line says what was omitted, and can be read again', () => {
  const lines: readonly (readonly [number, number, string])[] = [
    [1, 0, '[1 turn is omitted here]'],
    [12, 0, '[12 turns are omitted here]'],
    [0, 1, '[1 message is omitted here]'],
    [2, 5, '[2 turns and 5 messages are omitted here]'],
  ];
  for (const [turns, messages, line] of lines) {
    assert.equal(omissionLine({ turns, messages }), line);
    assert.deepEqual(readOmission(line), { turns, messages });
  }
  assert.equal(omissionLine({ turns: 0, messages: 0 }), '');
  for (const other of ['', '12 turns', '[5,000 characters are omitted here]']) {
    assert.equal(readOmission(other), undefined);
  }
});
