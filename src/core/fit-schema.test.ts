import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitSchema } from './fit-schema.ts';
import type { Json, JsonObject } from './json.ts';

/** A text by way of thirty parts, each of which leads twice to the next one. */
function laughs(word: string): JsonObject {
  const parts = Array.from({ length: 30 }, (_, index): [string, Json] => {
    const next = { $ref: `#/$defs/part${index + 1}` };
    return [`part${index}`, { [word]: [next, next] }];
  });
  const $defs = Object.fromEntries([...parts, ['part30', { type: 'string' }]]);
  return { type: 'object', properties: { x: { $ref: '#/$defs/part0' } }, $defs };
}

const self = { $ref: '#/$defs/self' };
const endless: Readonly<Record<string, readonly [JsonObject, JsonObject]>> = {
  'a pattern': [
    { type: 'object', properties: { x: { type: 'string', pattern: '^(a+)+$' } } },
    { x: `${'a'.repeat(50)}!` },
  ],
  'parts of all of which it must be': [laughs('allOf'), { x: 5 }],
  'parts of one of which it must be': [laughs('anyOf'), { x: 5 }],
  'a part that is itself': [{ type: 'object', properties: { x: self }, $defs: { self } }, { x: 5 }],
};

for (const [what, [schema, value]] of Object.entries(endless)) {
  test(`a check that would never end is given up: ${what}`, () => {
    assert.throws(() => fitSchema('the input of "x"', schema, value), {
      code: 'skill.invalid',
      message: /The JSON Schema of the input of "x" asks for a check that does not come to an end/,
    });
  });
}

test('patterns and parts that lead to each other are checked', () => {
  const tree: JsonObject = {
    type: 'object',
    properties: {
      name: { type: 'string', pattern: '^[a-z]+$' },
      under: { type: 'array', items: { $ref: '#' } },
    },
    required: ['name'],
  };
  const value = { name: 'a', under: [{ name: 'b', under: [] }] };
  assert.deepEqual(fitSchema('the tree', tree, value), value);
  assert.throws(() => fitSchema('the tree', tree, { name: 'a', under: [{ name: 'B' }] }), {
    code: 'usage.bad-input',
    message: /under\.0\.name/,
  });
});
