import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import type { Json, JsonObject } from '../json.ts';
import { badInput, fitSchema, withRequired } from './validate.ts';

const schema = z.strictObject({
  question: z.string(),
  count: z.int().min(1).optional(),
  tags: z.array(z.string()).optional(),
});

function said(value: unknown): { readonly message: string; readonly hint: string | undefined } {
  const { message, hint } = badInput({ skill: 'x' }, schema.safeParse(value).error?.issues ?? [], value);
  return { message, hint };
}

test('the message names what is missing and what is wrong, with its path', () => {
  assert.deepEqual(said({ count: 'many', tags: ['a', 7] }), {
    message:
      'Invalid input for "x": question is required (string); ' +
      'count must be a number, not a string; tags.1 must be a string, not a number.',
    hint: 'Add question. Correct count, tags.1.',
  });
});

test('a number that is not whole is named itself', () => {
  assert.deepEqual(said({ question: 'a', count: 1.5 }), {
    message: 'Invalid input for "x": count must be a whole number, not 1.5.',
    hint: 'Correct count.',
  });
  assert.throws(() => fitSchema('the number', { type: 'integer' }, -0.5), {
    message: 'Invalid number: it must be a whole number, not -0.5.',
  });
});

test('a member of any type that is missing, and one that may not be there, are named without a type', () => {
  const properties = { b: false } as unknown as JsonObject;
  const open: JsonObject = { type: 'object', properties, required: ['a'] };
  assert.throws(() => fitSchema({ skill: 'x' }, open, { b: 1 }), {
    message: /^Invalid input for "x": (?:a is required; b is not allowed|b is not allowed; a is required)\.$/,
  });
});

test('a value of the wrong type has no members to name', () => {
  assert.deepEqual(said(7), {
    message: 'Invalid input for "x": it must be an object, not a number.',
    hint: 'Correct the value.',
  });
});

test('any other fault keeps the message of the schema', () => {
  const { message, hint } = said({ question: 'a', count: 0 });
  assert.match(message, /^Invalid input for "x": count: .*1\.$/);
  assert.equal(hint, 'Correct count.');
});

test('a hundred thousand faults, and one that lists as many values, give a short message', () => {
  const values = Array.from({ length: 100_000 }, (_, index) => `value-${index}`);
  const many = z.object({ one: z.enum(values), all: z.array(z.number()) });
  const value = { one: 'x', all: values };
  const found = many.safeParse(value).error?.issues ?? [];
  const { message, hint = '' } = badInput({ skill: 'x' }, found, value);
  assert.match(message, /all\.0 must be a number, not a string; .*; and 99951 more\.$/);
  assert.ok(message.length + hint.length < 10_000, String(message.length));
});

/** Creates a schema for a string through thirty definitions, which each refer to the next one twice. */
function laughs(keyword: string): JsonObject {
  const parts = Array.from({ length: 30 }, (_, index): [string, Json] => {
    const next = { $ref: `#/$defs/part${index + 1}` };
    return [`part${index}`, { [keyword]: [next, next] }];
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
    assert.throws(() => fitSchema('the input for "x"', schema, value), {
      code: 'skill.invalid',
      message: /Checking the input for "x" against its JSON Schema took too long/,
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

function fits(schema: JsonObject, value: Json): boolean {
  try {
    fitSchema('it', schema, value);
    return true;
  } catch {
    return false; // as the schema asks
  }
}

describe('a name that is required and has no property', () => {
  for (const [where, schema, good, bad] of [
    ['at the top', { type: 'object', required: ['a'] }, { a: 1 }, {}],
    [
      'beside others',
      { type: 'object', properties: { b: { type: 'string' } }, required: ['a', 'b'] },
      { a: null, b: '' },
      { b: '' },
    ],
    ['in a list', { type: 'array', items: { type: 'object', required: ['a'] } }, [{ a: 1 }], [{}]],
    [
      'in a property called required',
      { type: 'object', properties: { required: { type: 'object', required: ['x'] } } },
      { required: { x: 1 } },
      { required: {} },
    ],
  ] as const) {
    test(`${where} must be there`, () => {
      assert.ok(fits(schema, good));
      assert.equal(fits(schema, bad), false);
    });
  }

  test('stays the name of nothing in values that a schema holds', () => {
    const schema = { type: 'object', default: { required: ['a'] }, enum: [{ required: ['a'] }] } as const;
    assert.deepEqual(withRequired(schema), schema);
  });
});
