import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseJson, unsafeKeys, type Json } from '../json.ts';
import { fencesIn, jsonInText, type Fence } from './answer-text.ts';

function allFences(text: string): readonly Fence[] {
  return [...fencesIn(text)];
}

test('blocks come in their order, with language and content', () => {
  const text = 'Look:\n\n```TypeScript run\nlet a;\n```\nand\n~~~\n```\n~~~\n';
  assert.deepEqual(allFences(text), [
    { language: 'typescript', content: 'let a;\n' },
    { language: '', content: '```\n' },
  ]);
});

test('a block in a list loses its indentation, and no more than that', () => {
  assert.deepEqual(allFences('1. this\n\n   ```js\n   if (a)\n     b();\n c\n   ```'), [
    { language: 'js', content: 'if (a)\n  b();\nc\n' },
  ]);
});

test('longer marks hold shorter ones', () => {
  assert.deepEqual(allFences('````md\n```js\nx\n```\n`````'), [
    { language: 'md', content: '```js\nx\n```\n' },
  ]);
});

test('a block that is never closed goes to the end', () => {
  assert.deepEqual(allFences('```js\r\nx\r\ny'), [{ language: 'js', content: 'x\ny\n' }]);
});

test('marks within a line open nothing', () => {
  assert.deepEqual(allFences('```x``` is code\nand ``` this'), []);
});

function all(text: string): readonly Json[] {
  return [...jsonInText(text)];
}

describe('JSON in an answer', () => {
  const cases: Readonly<Record<string, readonly [string, readonly Json[]]>> = {
    'the whole text': [' {"a": [1]}\n', [{ a: [1] }]],
    'a lone value': ['42', [42]],
    'a fence before what stands around it': ['See [1].\n```json\n{"a": 1}\n```', [{ a: 1 }, [1], { a: 1 }]],
    'an object between words': ['Sure: {"a": "}"} it is.', [{ a: '}' }]],
    'brackets that are none': ['I {think} that [it] is {"a": 1}', [{ a: 1 }]],
    'quotes before it': ['He said "use { braces" and {"a": 1}', [{ a: 1 }]],
    'several in their order': ['{"a": 1} or [2, [3]]', [{ a: 1 }, [2, [3]]]],
    'an object inside of what is none': ['{a: {"b": 1}}', [{ b: 1 }]],
    'a text in quotes with escapes': [String.raw`x {"a": "\"}\\"} y`, [{ a: '"}\\' }]],
    nothing: ['There is no value here.', []],
    'half a value': ['{"a": 1', []],
    emptiness: ['', []],
  };
  for (const [name, [text, values]] of Object.entries(cases)) {
    test(`is found: ${name}`, () => assert.deepEqual(all(text), values));
  }

  test('comes out whatever surrounds it', () => {
    const prose = fc.string({ unit: fc.constantFrom(...Array.from('ab ,.!\n\'"`()')) });
    const safe = fc.jsonValue({ maxDepth: 5 }).map((value) => JSON.stringify({ value }));
    fc.assert(
      fc.property(prose, safe, prose, (before, json, after) => {
        fc.pre(![...unsafeKeys].some((key) => json.includes(key)));
        assert.deepEqual(all(`${before} ${json} ${after}`)[0], parseJson(json));
      }),
      { numRuns: 500 },
    );
  });

  test('is never a failure, whatever the text', () => {
    const unit = fc.constantFrom(
      ...Array.from('{}[]",:\\ \n1truefalsenull`~-'),
      '```',
      '```json\n',
      '\n```\n',
      '😀',
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 200 }), (text) => {
        for (const value of jsonInText(text)) JSON.stringify(value);
      }),
      { numRuns: 2000 },
    );
  });

  const hard: Readonly<Record<string, (size: number) => string>> = {
    'opening brackets': (size) => '['.repeat(size),
    'opening braces': (size) => '{'.repeat(size),
    'open arrays of numbers': (size) => '[1,'.repeat(size / 3),
    'open objects': (size) => '{"a":'.repeat(size / 5),
    'open texts': (size) => '["'.repeat(size / 2),
    'texts that are brackets': (size) => `["[${'",'.repeat(size / 2)}`,
    'escaped quotes': (size) => '["\\"'.repeat(size / 4),
    'wrong values in brackets': (size) => `${'['.repeat(60)}1,,2${']'.repeat(60)}`.repeat(size / 124),
    'fences that are none': (size) => '```a\n```b`\n'.repeat(size / 10),
    'one long line of tildes': (size) => `${'~'.repeat(size)}\``,
    'one long text': (size) => `["${'a'.repeat(size)}`,
  };
  for (const [name, make] of Object.entries(hard)) {
    test(`takes time in proportion to its length: ${name}`, () => {
      for (const value of jsonInText(make(200_000))) JSON.stringify(value); // quadratic time would take minutes
    });
  }
});
