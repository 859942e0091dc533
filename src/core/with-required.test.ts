import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fitSchema } from './fit-schema.ts';
import type { Json, JsonObject } from './json.ts';
import { withRequired } from './with-required.ts';

function fits(schema: JsonObject, value: Json): boolean {
  try {
    fitSchema('it', schema, value);
    return true;
  } catch {
    return false; // which is what is asked
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
