import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { finished } from '../../../test/support/deadline.ts';
import { parseJsonWithComments } from './jsonc.ts';

function valueOf(text: string): unknown {
  const read = parseJsonWithComments(text);
  assert.ok(read.ok, read.ok ? '' : read.message);
  return read.value;
}

describe('JSON with comments', () => {
  const good: readonly (readonly [text: string, value: unknown])[] = [
    ['{"a": 1}', { a: 1 }],
    ['\ufeff{"a": 1}', { a: 1 }],
    ['// first\n{"a": 1} // last', { a: 1 }],
    ['{/* a */"a"/* b */:/* c\n */1}', { a: 1 }],
    ['{"a": [1, 2,], "b": {"c": 3,},}', { a: [1, 2], b: { c: 3 } }],
    ['{"a": 1, // why\n /* and */ }', { a: 1 }],
    [
      '{"url": "http://x//y", "glob": "/* no */", "text": ",}", "quote": "\\"// \\\\"}',
      { url: 'http://x//y', glob: '/* no */', text: ',}', quote: '"// \\' },
    ],
    ['{"a": 1, /***/ "b": 2 /* * / **/}', { a: 1, b: 2 }],
    ['{"a": 1,\n//////////////////////////////////////////////////////\n"b": 2}', { a: 1, b: 2 }],
    ['[]', []],
    ['"text"', 'text'],
  ];
  for (const [text, value] of good)
    test(`reads ${JSON.stringify(text)}`, () => assert.deepEqual(valueOf(text), value));

  const bad: readonly (readonly [text: string, line: number])[] = [
    ['', 1],
    ['{', 1],
    ['{"a": 1', 1],
    ['{\n"a": nope\n}', 2],
    ['{\n\n"a" 1}', 3],
    ['{"a": 1}\n\nx', 3],
    ['{"a": 1,,}', 1],
    ['{\n,}', 2],
    ['[\n,\n]', 2],
    ['{"a":\n,}', 2],
    ['/* one\ntwo */ {\n"a": 01}', 3],
    ['// one\n{"a": "never ends\n}', 2],
    ['{"a": 1}\n/* never ends */ }', 2],
    ['{\n  // a, b\n  "a": 1\n  "b": 2\n}', 4],
    ["{\n'a': 1}", 2],
  ];
  for (const [text, line] of bad) {
    test(`names line ${line} of ${JSON.stringify(text)}`, () => {
      const read = parseJsonWithComments(text);
      assert.equal(read.ok, false);
      assert.equal(read.line, line);
      assert.doesNotMatch(read.message, /position|\n/);
    });
  }

  test('the message repeats nothing of the text around the fault', () => {
    const around = '"sk-secret-1",\n'.repeat(20);
    const read = parseJsonWithComments(`[${around} nope, ${around} 1]`);
    assert.equal(read.ok, false);
    assert.doesNotMatch(read.message, /secret/);
    assert.equal(read.line, 21);
  });

  test('unsafe keys are dropped at every depth', () => {
    const text =
      '{"__proto__": {"polluted": 1}, "a": {"constructor": 1, "__proto__": 2, "b": 3}, "prototype": 4}';
    assert.deepEqual(valueOf(text), { a: { b: 3 } });
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  });

  test('nesting without end is refused', () => {
    assert.equal(parseJsonWithComments('['.repeat(100_000)).ok, false);
    assert.equal(parseJsonWithComments('['.repeat(1_000) + ']'.repeat(1_000)).ok, false);
  });

  test('plain JSON is read as it is', () => {
    const json = fc
      .jsonValue({ maxDepth: 4 })
      .filter((value) => !/__proto__|constructor|prototype|-0/.test(JSON.stringify(value)));
    fc.assert(
      fc.property(json, (value) =>
        assert.deepEqual(valueOf(JSON.stringify(value, undefined, 1)), JSON.parse(JSON.stringify(value))),
      ),
      { numRuns: 200 },
    );
  });

  test('the time it takes grows with the text, whatever the text', () => {
    const nasty = [
      '{"a":1,' + '/'.repeat(1_000_000),
      '{"a":1,' + '// '.repeat(1_000_000),
      ', '.repeat(1_000_000),
      '/* * '.repeat(1_000_000),
      '"\\'.repeat(1_000_000),
    ];
    for (const text of nasty)
      assert.equal(finished(text.slice(0, 20), () => parseJsonWithComments(text)).ok, false);
  });
});
