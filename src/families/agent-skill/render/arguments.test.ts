import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../../testing/garbage.ts';
import { splitArguments } from './arguments.ts';

const cases: readonly (readonly [text: string, args: readonly string[]])[] = [
  ['', []],
  [' \n\t', []],
  ['a b', ['a', 'b']],
  ['  a\t\nb  ', ['a', 'b']],
  ['"p q" r', ['p q', 'r']],
  ["'p q' r", ['p q', 'r']],
  ['a"b c"d', ['ab cd']],
  [`'a\\b "c"'`, ['a\\b "c"']],
  ['"a \\" b"', ['a " b']],
  ['"a \\\\ b"', ['a \\ b']],
  ['"a \\n \\$ b"', ['a \\n \\$ b']],
  ['a\\ b', ['a b']],
  ['\\"a\\"', ['"a"']],
  ['a \\', ['a', '\\']],
  [`"" ''`, ['', '']],
  [`a ""`, ['a', '']],
  ['"a b', ['a b']],
  ["it's fine", ['its fine']],
  ["'", ['']],
  ['"a\\', ['a\\']],
];

for (const [text, args] of cases) {
  test(`the words of ${JSON.stringify(text)}`, () => {
    assert.deepEqual(splitArguments(text), args);
  });
}

test('words that are quoted are the words again', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: anyCharacter })), fc.boolean(), (args, single) => {
      const quoted = args.map((arg) =>
        single ? `'${arg.replaceAll("'", "'\\''")}'` : `"${arg.replace(/[\\"]/g, '\\$&')}"`,
      );
      assert.deepEqual(splitArguments(quoted.join(' ')), args);
    }),
  );
});
