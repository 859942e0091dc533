import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { pipedLines } from './line-reader.ts';

test('lines of a pipe come whole, whatever ends them and wherever they are cut', async () => {
  using lines = pipedLines(Readable.from(['on', 'e\r\ntw', 'o\n\nlast'].map((part) => Buffer.from(part))));
  const taken: (string | undefined)[] = [];
  for (let count = 0; count < 6; count++) taken.push(await lines.next('> '));
  assert.deepEqual(taken, ['one', 'two', '', 'last', undefined, undefined]);
});

test('a simple terminal shows the prompt of each line', async () => {
  const shown: string[] = [];
  using lines = pipedLines(Readable.from([Buffer.from('one\ntwo\n')]), (prompt) => void shown.push(prompt));
  assert.deepEqual([await lines.next('> '), await lines.next('answer> ')], ['one', 'two']);
  assert.deepEqual(shown, ['> ', 'answer> ']);
});
