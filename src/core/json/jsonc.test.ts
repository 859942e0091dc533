import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { openLoops } from '../../../test/stress/stress.ts';
import { finished } from '../../../test/support/deadline.ts';
import { parseJson } from '../json.ts';
import { indexLines, jsonFault, parseJsonWithComments } from './jsonc.ts';

const { createLoop } = openLoops(import.meta);

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
    ['\ufeff// with a byte order mark\r\n{"a": 1,}\r\n', { a: 1 }],
    ['// the line ends with a carriage return\r{"a": 1}', { a: 1 }],
    ['["1e999", /* texts */ "-Infinity"]', ['1e999', '-Infinity']],
    ['{"a": 1, /* the last one counts */ "b": 2, "a": 3}', { a: 3, b: 2 }],
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
    ['{"a": 1}\n/* never ends', 2],
    ['{\n  "a": 1, /* never ends\n  "b": 2\n}\n', 2],
    ['{\r  "a" 1\r}', 2],
    ['// one\n[1e999]', 2],
  ];
  for (const [text, line] of bad) {
    test(`names line ${line} of ${JSON.stringify(text)}`, () => {
      const read = parseJsonWithComments(text);
      assert.equal(read.ok, false);
      assert.equal(read.line, line);
      assert.doesNotMatch(read.message, /position|\n/);
    });
  }

  const messages: readonly (readonly [text: string, column: number, message: RegExp])[] = [
    ['{"a": nope}', 7, /^unexpected text$/],
    ['{"a": 1 "b": 2}', 9, /^expected a comma or a closing bracket$/],
    ['\ufeff{"a" 1}', 7, /^expected a colon after the property name$/],
    ['{"a": 1', 8, /^the closing "}" is missing$/],
    ['[1', 3, /^the closing "]" is missing$/],
    ['{a: 1}', 2, /^unexpected text$/],
    ['{1: 1}', 2, /^expected a double-quoted property name$/],
    ['{"a": }', 7, /^expected a value$/],
    ['{} {}', 4, /^unexpected text after the end$/],
    ['{} /* c', 4, /^a comment is not closed$/],
    ['["a', 2, /^a string is not closed$/],
    ['[1.]', 2, /^a number is incomplete$/],
    ['["\\u12"]', 2, /^invalid \\u escape in a string$/],
    ['["\\x"]', 2, /^invalid escape in a string$/],
    ['["\t"]', 2, /^control character in a string$/],
    ['[1e999]', 2, /^a number is out of range$/],
    ['['.repeat(65), 65, /^it is nested too deeply$/],
  ];
  for (const [text, column, message] of messages)
    test(`names column ${column} of ${JSON.stringify(text.slice(0, 20))}`, () => {
      const read = parseJsonWithComments(text);
      assert.equal(read.ok, false);
      assert.match(read.message, message);
      assert.equal(read.column, column);
    });

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
    for (const unit of ['[', '{"a":', '// c\n[', '[1,'])
      assert.match(jsonFault(unit.repeat(100_000)).message, /nested too deeply|comments are not allowed/);
    assert.equal(indexLines('{"a":'.repeat(100_000))('a'), undefined);
  });

  test('a comment does not change how deep a text may be nested', () => {
    for (const depth of [63, 64, 65])
      for (const inner of ['', '1']) {
        const text = '['.repeat(depth) + inner + ']'.repeat(depth);
        assert.equal(
          parseJsonWithComments(`// c\n${text}`).ok,
          parseJson(text) !== undefined,
          `${depth} ${inner}`,
        );
      }
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

describe('the problem in text that is not plain JSON', () => {
  test('may be a comment or a trailing comma', () => {
    assert.deepEqual(jsonFault('{\n  // c\n}'), {
      message: 'comments are not allowed here',
      line: 2,
      column: 3,
    });
    assert.deepEqual(jsonFault('[1,\n]'), { message: 'expected a value', line: 2, column: 1 });
  });

  const piece = fc.constantFrom(
    ...['{', '}', '[', ']', ',', ':', '"a"', '"a.b"', '"\\u0061"', '"\\x"', '"\ud800"', '"', '\\'],
    ...[
      '1',
      '-0',
      '01',
      '1e5',
      '1e999',
      '1.',
      '-',
      'true',
      'nul',
      "'a'",
      '\ufeff',
      '\u00a0',
      '\u2028',
      '\u0001',
    ],
    ...['\n', '\r\n', '\r', ' ', '\t', '// c', '/* d */', '/*', '*/', '/'],
  );
  const noise = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''));
  const changes = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 2 }), piece), { maxLength: 4 });
  const broken = fc.tuple(fc.json({ maxDepth: 3 }), changes).map(([json, all]) =>
    all.reduce((text, [number, length, part]) => {
      const at = number % (text.length + 1);
      return text.slice(0, at) + part + text.slice(at + length);
    }, json),
  );
  const anyText = fc.oneof(noise, broken, fc.string({ unit: 'binary' }));
  const texts = createLoop({ small: 2_000, full: 500_000 });

  test('is found in any text, and plain JSON has none: this parser and that of Node agree', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        fc.pre(!/__proto__|constructor|prototype/.test(text)); // dropped parts may contain anything
        const value = parseJson(text);
        const fault = jsonFault(text);
        assert.equal(fault.message === 'it cannot be parsed', value !== undefined);
        assert.ok(fault.line <= text.split(/\r\n|\r|\n/).length && fault.column <= text.length + 1);

        const read = parseJsonWithComments(`/**/${text}`); // the slow algorithm, for all texts
        if (value !== undefined) assert.deepEqual(read, { ok: true, value });
        if (read.ok) assert.deepEqual(parseJson(JSON.stringify(read.value)), read.value);
        indexLines(text)('a.b');
      }),
      texts.runs(),
    );
  });
});

describe('the line of a member', () => {
  const text = [
    '\ufeff{ // settings',
    '  "a": {"b": 1, "b.c": 2},',
    '  "list": [',
    '    1, {"x": null},',
    '    [true]',
    '  ],',
    '  "openai/gpt-4.1": {',
    '    "input": 1',
    '  }, /* two',
    '  lines */ "a": {',
    '    "b": 3,',
    '  },',
    '}',
  ];
  const lines: Readonly<Record<string, number | undefined>> = {
    a: 10,
    'a.b': 11,
    'a.b.c': undefined,
    list: 3,
    'list.0': 4,
    'list.1.x': 4,
    'list.2.0': 5,
    'list.3': undefined,
    'openai/gpt-4.1': 7,
    'openai/gpt-4.1.input': 8,
    'openai/gpt-4': undefined,
    '': undefined,
    toString: undefined,
  };
  for (const end of ['\n', '\r\n', '\r'])
    test(`is found by its path, with ${JSON.stringify(end)} at the end of lines`, () => {
      const lineOf = indexLines(text.join(end));
      assert.deepEqual(Object.fromEntries(Object.keys(lines).map((path) => [path, lineOf(path)])), lines);
    });

  test('is unknown in text that is not valid', () => {
    assert.equal(indexLines('{"a": 1, "b": }')('a'), undefined);
  });

  test('is found in a moment, however many are asked for and whatever they are called', () => {
    const many = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`key-${index}`, { x: index }]),
    );
    const lineOf = indexLines(JSON.stringify({ many }, undefined, 1));
    finished('20,000 lines', () => {
      for (let index = 0; index < 20_000; index++) assert.equal(lineOf(`many.key-${index}.x`), 4 + 3 * index);
    });
    const dots = '.'.repeat(1_000_000);
    finished('a key of dots', () => indexLines(JSON.stringify({ a: { [dots]: { x: 1 } } }))(`a.${dots}.x`));
  });
});
