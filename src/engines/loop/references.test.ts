import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../core/json.ts';
import { resolveReferences, type LoopResult } from './references.ts';

const results = new Map<string, LoopResult>([
  [
    'read-1',
    { text: 'whole text', value: { content: 'inner', size: 3, none: null, list: ['a', { b: 'c' }] } },
  ],
  ['say-1', { text: 'words' }],
  ['say-2', { text: 'before $$say-1 after' }],
  ['count-1', { text: '', value: [1, 2] }],
  ['a--b-1', { text: 'two hyphens' }],
  ['mcp__x-1', { text: 'underscores' }],
]);

function resolve(input: Json, schema: JsonObject = {}): Json {
  return resolveReferences(input, (name) => results.get(name), schema);
}

const text = { type: 'string' };

describe('an argument that is nothing but a reference', () => {
  test('becomes the value, and the text if there is none', () => {
    assert.deepEqual(resolve('$$count-1'), [1, 2]);
    assert.equal(resolve('$$say-1'), 'words');
    assert.equal(resolve(' $$say-1\n'), 'words');
    assert.equal(resolve('$$a--b-1'), 'two hyphens');
    assert.equal(resolve('$$mcp__x-1'), 'underscores');
  });

  test('becomes a member of the value, and what is null is null', () => {
    assert.equal(resolve('$$read-1.content'), 'inner');
    assert.equal(resolve('$$read-1.size'), 3);
    assert.equal(resolve('$$read-1.list.1.b'), 'c');
    assert.equal(resolve('$$read-1.none'), null);
  });

  test('becomes the text where the schema wants one, however it says so', () => {
    const schemas: readonly JsonObject[] = [
      text,
      { type: ['string', 'null'] },
      { anyOf: [text, { type: 'null' }] },
      { oneOf: [{ type: 'number' }, text] },
    ];
    for (const schema of schemas) {
      assert.equal(resolve('$$read-1', schema), 'whole text', JSON.stringify(schema));
      assert.equal(resolve('$$count-1', schema), '[1,2]', JSON.stringify(schema));
    }
    assert.equal(resolve('$$read-1.size', text), '3');
    assert.equal(resolve('$$read-1.size', { anyOf: [text, { type: 'integer' }] }), 3);
    assert.deepEqual(resolve('$$count-1', { anyOf: [text, { type: 'array' }] }), [1, 2]);
  });

  test('is an error when there is no such result or member', () => {
    for (const input of ['$$say-9', '$$read-1.missing', '$$say-1.member', '$$read-1.list.9']) {
      assert.throws(() => resolve(input), {
        code: 'usage.bad-input',
        message: `Unknown result ${input}.`,
      });
    }
  });

  test('does not reach what a value only inherits', () => {
    for (const key of ['constructor', '__proto__', 'toString', 'content.length', 'list.map']) {
      assert.throws(() => resolve(`$$read-1.${key}`), { code: 'usage.bad-input' }, key);
    }
    assert.throws(() => resolve('$$constructor'), { code: 'usage.bad-input' });
  });
});

describe('a reference inside a text', () => {
  test('becomes the text, and a dot after it may end a sentence', () => {
    assert.equal(resolve('It said: $$say-1.'), 'It said: words.');
    assert.equal(resolve('$$say-1 and $$read-1.content, $$count-1'), 'words and inner, [1,2]');
    assert.equal(resolve('See $$say-1.Then go.'), 'See words.Then go.');
    assert.equal(resolve('See $$read-1.content.Then go.'), 'See inner.Then go.');
    assert.equal(resolve('See $$read-1.none.'), 'See null.');
  });

  test('stays as it is when there is no such result', () => {
    for (const input of [
      'kill $$ now',
      'a $$say-9 b',
      'make $$(VAR) x',
      '$$',
      '$$ $$',
      '$say-1',
      '$$-',
      '$$. x',
    ]) {
      assert.equal(resolve(input), input);
    }
  });

  test('is not looked for in what was put in', () => {
    assert.equal(resolve('$$say-2'), 'before $$say-1 after');
    assert.equal(resolve('<$$say-2>'), '<before $$say-1 after>');
  });

  test('is not touched by the patterns of a replacement', () => {
    const dollars = { text: "$& $1 $$ $` $'" };
    assert.equal(
      resolveReferences('<$$x-1>', () => dollars, {}),
      `<${dollars.text}>`,
    );
  });
});

describe('references in an input', () => {
  test('are found in members and items, each by its own schema', () => {
    const schema = {
      type: 'object',
      properties: { whole: text, list: { type: 'array', items: text } },
      additionalProperties: text,
    };
    assert.deepEqual(
      resolve(
        { whole: '$$read-1.size', list: ['$$count-1', 1], more: '$$count-1', deep: [{ x: '$$count-1' }] },
        schema,
      ),
      { whole: '3', list: ['[1,2]', 1], more: '[1,2]', deep: [{ x: [1, 2] }] },
    );
  });

  test('leave keys alone, the dangerous ones too', () => {
    const input = JSON.parse('{"__proto__": "$$say-1", "$$say-1": 1, "constructor": "x"}') as Json;
    const resolved = resolve(input);
    assert.equal(JSON.stringify(resolved), '{"__proto__":"words","$$say-1":1,"constructor":"x"}');
    assert.equal(Object.getPrototypeOf(resolved), Object.prototype);
  });

  test('change nothing but whole known references', () => {
    const piece = fc.constantFrom(
      '$$',
      '$',
      'say',
      '-1',
      '-',
      '.',
      'read-1',
      '.content',
      ' ',
      'ü',
      '$$say-9',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 3 })), { maxLength: 12 }), (pieces) => {
        const input = `<${pieces.join('')}`; // never only a reference
        const expected = input.replace(
          /\$\$(say-1|read-1|say-2)(?![\w-])((?:\.\w+)*)/g,
          (_all, name: string, path: string) => {
            const isInner = name === 'read-1' && /^\.content(?![\w])/.test(path);
            return isInner
              ? `inner${path.slice('.content'.length)}`
              : `${results.get(name)?.text ?? ''}${path}`;
          },
        );
        const dashes = /\$\$[\w-]*-(?![\w-])/.test(input); // a hyphen that ends a name belongs to the text
        fc.pre(!dashes);
        assert.equal(resolve(input), expected);
      }),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.jsonValue(), (input) => {
        fc.pre(!JSON.stringify(input).includes('$$'));
        assert.deepEqual(resolve(input as Json), input);
      }),
    );
  });

  test('take a time that grows with the text alone', () => {
    const hostile = [
      '$'.repeat(300_000),
      `$$${'a-'.repeat(150_000)}!`,
      `$$${'-'.repeat(300_000)}`,
      `$$a${'.a'.repeat(150_000)}!`,
    ];
    for (const input of hostile) assert.equal(resolve(`x${input}`), `x${input}`);
    for (const input of hostile.slice(1)) assert.equal(resolve(input), input);
  });

  test('do not multiply a result without end', () => {
    const big = { text: 'x'.repeat(1_000_000), value: ['x'.repeat(1_000_000)] };
    const many = Array.from({ length: 10_000 }, () => '$$big-1');
    for (const input of [many, many.join(' '), { deep: { many } }]) {
      assert.throws(() => resolveReferences(input, () => big, {}), { code: 'limit.too-large' });
    }
  });
});
