import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomTokens } from '../../test/support/random-tokens.ts';
import { readWords } from './read-script.ts';
import { shellParts } from './command-line.ts';

const character = fc.oneof(
  fc.constantFrom(' ', '\t', '\n', ...'a b \' " \\ $ ` ; & | < > ( ) [ ] { } * ? ~ # ! = % -'.split(' ')),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
);
const anything = fc.array(character, { maxLength: 20 }).map((characters) => characters.join(''));

test('whatever is given, it is taken apart', () => {
  fc.assert(
    fc.property(fc.oneof(anything, randomTokens()), (line) => {
      const { parts, areAll } = shellParts(line);
      assert.ok(parts.every(({ command }) => command !== ''));
      assert.ok(!areAll || parts.length > 0);
    }),
    { numRuns: 3000 },
  );
});

test('quoted words stay the words they are, and read again they are the same', () => {
  const words = fc.array(
    anything.map((word) => word.replaceAll('\n', ' ')),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(words, (values) => {
      const quoted = values.map((value) => ` '${value.replaceAll("'", "'\\''")}'`).join('');
      const [only, ...others] = shellParts(`ok${quoted}`).parts;
      assert.ok(only !== undefined && others.length === 0);
      assert.deepEqual(readWords(only.command)?.length, values.length + 1);
      assert.deepEqual(shellParts(only.command).parts, [only]);
    }),
    { numRuns: 1000 },
  );
});
