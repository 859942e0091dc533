import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { commentsIn, parseJsonWithComments } from '../read/jsonc.ts';
import { valueAt } from '../schema/key.ts';
import { setInJson, unsetInJson } from './edit-json.ts';

describe('setting a value in JSON text', () => {
  const cases: readonly (readonly [
    what: string,
    before: string,
    path: string,
    value: Json,
    after: string,
  ])[] = [
    ['an empty text', '', 'a', 1, '{\n  "a": 1\n}\n'],
    ['an empty object', '{}', 'a.b', [1, 'x'], '{\n  "a": {\n    "b": [1, "x"]\n  }\n}'],
    ['one line', '{ "a": 1 }', 'b', 2, '{ "a": 1, "b": 2 }'],
    ['one line with a trailing comma', '{ "a": 1, }', 'b', 2, '{ "a": 1, "b": 2 }'],
    [
      'a value that is there',
      '{\n  "a": 1, // one\n  "b": 2\n}\n',
      'a',
      3,
      '{\n  "a": 3, // one\n  "b": 2\n}\n',
    ],
    ['behind a comment', '{\n  "a": 1 // one\n}\n', 'b', 2, '{\n  "a": 1, // one\n  "b": 2\n}\n'],
    ['with trailing commas', '{\n\t"a": 1, // one\n}\n', 'b', 2, '{\n\t"a": 1, // one\n\t"b": 2,\n}\n'],
    ['only comments', '{\n  // nothing yet\n}\n', 'a', true, '{\n  // nothing yet\n  "a": true\n}\n'],
    [
      'windows line ends',
      '{\r\n  "a": 1\r\n}\r\n',
      'b',
      { c: 1 },
      '{\r\n  "a": 1,\r\n  "b": {\r\n    "c": 1\r\n  }\r\n}\r\n',
    ],
    ['a key that is written twice', '{"a": 1, "a": 2}', 'a', 3, '{"a": 1, "a": 3}'],
    [
      'comments in what is replaced',
      '{\n  "a": [\n    1, // one\n    2\n  ]\n}',
      'a',
      5,
      '{\n  // one\n  "a": 5\n}',
    ],
    ['marks inside of text', '{"a": "} , // \\" {", "b": 1}', 'b', 2, '{"a": "} , // \\" {", "b": 2}'],
  ];
  for (const [what, before, path, value, after] of cases) {
    test(what, () => assert.equal(setInJson(before, path.split('.'), value), after));
  }

  test('a value in the way is not overwritten', () => {
    assert.throws(() => setInJson('{"models": "a/b"}', ['models', 'plan'], 'x'), { code: 'usage.bad-input' });
  });

  test('what is no JSON object is left alone', () => {
    for (const text of ['[1]', '{', 'null'])
      assert.throws(() => setInJson(text, ['a'], 1), { code: 'usage.bad-settings' });
  });
});

describe('removing a value from JSON text', () => {
  const cases: readonly (readonly [what: string, before: string, path: string, after: string])[] = [
    ['the first', '{\n  "a": 1,\n  "b": 2\n}\n', 'a', '{\n  "b": 2\n}\n'],
    ['the last', '{\n  "a": 1,\n  "b": 2\n}\n', 'b', '{\n  "a": 1\n}\n'],
    ['the only one', '{\n  "a": 1\n}\n', 'a', '{\n}\n'],
    ['on one line', '{"a": 1, "b": 2, "c": 3}', 'b', '{"a": 1, "c": 3}'],
    ['the last on one line', '{"a": 1, "b": 2}', 'b', '{"a": 1}'],
    [
      'with its comment',
      '{\n  "a": 1, // one\n  "b": 2 // two\n}\n',
      'b',
      '{\n  "a": 1 // one\n  // two\n}\n',
    ],
    ['one that is not there', '{ "a": 1 }', 'b.c', '{ "a": 1 }'],
    ['one that is written twice', '{"a": 1, "b": 0, "a": 2}', 'a', '{"b": 0}'],
  ];
  for (const [what, before, path, after] of cases) {
    test(what, () => assert.equal(unsetInJson(before, path.split('.')), after));
  }
});

const key = fc.constantFrom('a', 'b', 'c', 'a b', '"', '//', '/*', ',');
const { value: anyValue } = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  object: fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(1, -2.5e3, true, null, '', 'x', '// no', '/* no */', '{,}', '\\"'),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
}));
const anyObject = fc.dictionary(key, anyValue, { maxKeys: 5, noNullPrototype: true });
const filler = fc.constantFrom('', ' ', '\n', '\n  ', ' // note, {\n', ' /* more: } */ ', '\r\n\t');

/** JSON text with comments and blanks wherever they may stand. */
function dress(value: Json, fill: () => string): string {
  const parts = isJsonObject(value)
    ? Object.entries(value).map(
        ([name, inner]) =>
          `${fill()}${JSON.stringify(name)}${fill()}:${fill()}${dress(inner, fill)}${fill()}`,
      )
    : Array.isArray(value)
      ? value.map((inner: Json) => `${fill()}${dress(inner, fill)}${fill()}`)
      : undefined;
  if (parts === undefined) return JSON.stringify(value);
  const trailing = parts.length > 0 && fill() === ' ' ? `,${fill()}` : '';
  const [open, close] = isJsonObject(value) ? ['{', '}'] : ['[', ']'];
  return `${open}${parts.join(',')}${trailing}${parts.length === 0 ? fill() : ''}${close}`;
}

test('whatever is set or removed, only that changes, and no comment is lost', () => {
  const dressed = fc.tuple(anyObject, fc.array(filler, { minLength: 200, maxLength: 200 }));
  const path = fc.array(key, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(dressed, path, anyValue, ([object, fillers], names, value) => {
      let at = 0;
      const text = `${fillers[0] ?? ''}${dress(object, () => fillers[at++ % fillers.length] ?? '')}\n`;
      const comments = [...commentsIn(text)].sort();
      const removed = unsetInJson(text, names);
      assert.deepEqual([...commentsIn(removed)].sort(), comments);
      const outer = names.slice(0, -1).map((_, index) => valueAt(object, names.slice(0, index + 1)));
      const isBlocked = outer.some((value) => value !== undefined && !isJsonObject(value));
      if (isBlocked) return;
      const set = setInJson(text, names, value);
      assert.deepEqual([...commentsIn(set)].sort(), comments);
      const read = parseJsonWithComments(set);
      assert.ok(read.ok && isJsonObject(read.value));
      assert.deepEqual(valueAt(read.value, names), value);
    }),
    { numRuns: 500 },
  );
});
