import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isJsonObject, parseJson } from './json.ts';

test('objects are objects, lists and null are not', () => {
  assert.deepEqual([{}, [], null, 'a', undefined].map(isJsonObject), [true, false, false, false, false]);
});

test('JSON is read without keys that reach a prototype', () => {
  const parsed = parseJson(
    '{"a": {"__proto__": {"x": 1}, "constructor": 2}, "b": [{"prototype": 3, "c": 4}]}',
  );
  assert.deepEqual(parsed, { a: {}, b: [{ c: 4 }] });
  assert.equal(({} as Record<string, unknown>)['x'], undefined);
});

test('what is not JSON, too deep, or does not survive JSON is nothing', () => {
  for (const text of [
    '',
    '{',
    'undefined',
    "{'a': 1}",
    '1e999',
    `${'['.repeat(100)}${']'.repeat(100)}`,
    '['.repeat(100_000),
  ]) {
    assert.equal(parseJson(text), undefined, text.slice(0, 20));
  }
});

test('what is read survives JSON', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const value = parseJson(text);
      if (value !== undefined) assert.deepEqual(JSON.parse(JSON.stringify(value)), value);
    }),
  );
});
