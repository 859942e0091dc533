import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { splitWords } from '../families/agent-skill/render/arguments.ts';
import { argumentText } from './argument-text.ts';

const rows: readonly (readonly [words: readonly string[], text: string])[] = [
  [[], ''],
  [['42', 'urgent'], '42 urgent'],
  [['a b', 'c'], '"a b" c'],
  [['', 'c'], '"" c'],
  [['say "no"', 'c'], `'say "no"' c`],
  [["Ann's", 'bike'], `"Ann's" bike`],
  [[`Ann's "bike"`, 'c'], `"Ann's \\"bike\\"" c`],
  [['C:\\temp', 'c'], `'C:\\temp' c`],
  [[`it's C:\\`, 'c'], `"it's C:\\\\" c`],
  [['two\nlines', 'c'], '"two\nlines" c'],
  [['$HOME', '`id`', '--flag', '*.md', 'ä'], '$HOME `id` --flag *.md ä'],
];

for (const [words, text] of rows) {
  test(JSON.stringify(words), () => assert.equal(argumentText(words), text));
}

test('whatever the words are, the same ones are read again', () => {
  const word = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('a', ' ', '\n', '"', "'", '\\') }));
  fc.assert(fc.property(fc.array(word), (words) => assert.deepEqual(splitWords(argumentText(words)), words)));
});
