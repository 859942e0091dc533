import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { finished } from '../../../test/support/deadline.ts';
import type { Json } from '../../core/json.ts';
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
    [
      'after a comment with a special space at its end',
      '{\n  "a": 1 // one\u00a0\n}\n',
      'b',
      2,
      '{\n  "a": 1, // one\u00a0\n  "b": 2\n}\n',
    ],
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
    ['a byte order mark', '\ufeff{\n  "a": 1\n}\n', 'a', 2, '\ufeff{\n  "a": 2\n}\n'],
    [
      'indented by tabs',
      '{\n\t"a": 1\n}\n',
      'b',
      { c: { d: 1 } },
      '{\n\t"a": 1,\n\t"b": {\n\t\t"c": {\n\t\t\t"d": 1\n\t\t}\n\t}\n}\n',
    ],
    [
      'indented by four spaces',
      '{\n    "a": {}\n}\n',
      'a.b',
      { c: 1 },
      '{\n    "a": {\n        "b": {\n            "c": 1\n        }\n    }\n}\n',
    ],
    ['braces on the lines of members', '{ "a": 1,\n  "b": 2 }', 'c', 3, '{ "a": 1,\n  "b": 2,\n  "c": 3\n}'],
    ['a key in escapes', '{"\\u0061": 1, "b": 2}', 'a', 3, '{"\\u0061": 3, "b": 2}'],
    ['marks inside of text', '{"a": "} , // \\" {", "b": 1}', 'b', 2, '{"a": "} , // \\" {", "b": 2}'],
  ];
  for (const [what, before, path, value, after] of cases) {
    test(what, () => assert.equal(setInJson(before, path.split('.'), value), after));
  }

  test('a value in the way is not overwritten', () => {
    assert.throws(() => setInJson('{"models": "a/b"}', ['models', 'plan'], 'x'), { code: 'usage.bad-input' });
  });

  test('a file that is not a JSON object is left alone', () => {
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
    ['a byte order mark', '\ufeff{\n  "a": 1,\n  "b": 2\n}\n', 'b', '\ufeff{\n  "a": 1\n}\n'],
    ['windows line ends', '{\r\n  "a": 1,\r\n  "b": 2\r\n}\r\n', 'a', '{\r\n  "b": 2\r\n}\r\n'],
    ['the first between spaces', '{ "a": 1, "b": 2 }', 'a', '{ "b": 2 }'],
    ['the last between spaces', '{ "a": 1, "b": 2 }', 'b', '{ "a": 1 }'],
    ['with a trailing comma', '{\n  "a": 1,\n  "b": 2,\n}\n', 'b', '{\n  "a": 1,\n}\n'],
    [
      'a comma after a comment',
      '{\n  "a": 1 /* one */,\n  "b": 2\n}\n',
      'a',
      '{\n  /* one */\n  "b": 2\n}\n',
    ],
    ['comments in it', '{"a": [1 /* one */], "b": 2}', 'a', '{/* one */ "b": 2}'],
    ['one that is not there', '{ "a": 1 }', 'b.c', '{ "a": 1 }'],
    ['one that is written twice', '{"a": 1, "b": 0, "a": 2}', 'a', '{"b": 0}'],
  ];
  for (const [what, before, path, after] of cases) {
    test(what, () => assert.equal(unsetInJson(before, path.split('.')), after));
  }
});

describe('an edit of hostile text', () => {
  test('refuses nesting without end, and says where', () => {
    for (const unit of ['[', '{"a":', '// c\n{"a":'])
      assert.throws(() => setInJson(unit.repeat(100_000), ['a'], 1), {
        code: 'usage.bad-settings',
        message: /\(line \d+, column \d+: it is nested too deeply\)/,
      });
  });

  test('takes a time that grows with the text', () => {
    const names = Array.from({ length: 50_000 }, (_, index) => `"key-${index}": ${index}`);
    const spaces = ' '.repeat(1_000_000);
    const large = [
      `{"a": 0, ${names.join(', ')}}`,
      `{${spaces}"a":${spaces}1${spaces},${spaces}"b": 2${spaces}}`,
      `{"b": 1${', "a": 2'.repeat(5_000)}}`,
      `{"a": [${'/* one */ 1,\n'.repeat(50_000)}]}`,
    ];
    for (const text of large)
      finished(text.slice(0, 20), () => {
        setInJson(text, ['a'], 1);
        setInJson(text, ['new'], 1);
        unsetInJson(text, ['a']);
      });
  });
});
