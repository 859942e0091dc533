import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../testing/any-character.ts';
import { canonicalJson, hashOf } from './canonical.ts';
import { isJsonObject, type Json } from './json.ts';

test('keys are sorted by code units at every level, without white space', () => {
  const value = { b: [{ z: 1, Z: null }], a: { 10: 'x', 9: true }, é: '"', '😀': 0, '\uffff': -0 };
  assert.equal(
    canonicalJson(value),
    '{"a":{"10":"x","9":true},"b":[{"Z":null,"z":1}],"é":"\\"","😀":0,"\uffff":0}',
  );
});

test('a hash is 16 hexadecimal characters and stays what it is', () => {
  assert.equal(hashOf({ a: 1 }), '015abd7f5cc57a2d');
  assert.notEqual(hashOf('\ud800'), hashOf('\ufffd'));
});

const json = fc.jsonValue({ maxDepth: 4, stringUnit: anyCharacter }) as fc.Arbitrary<Json>;

test('equal values with different orders of keys have equal hashes, and the text says the value', () => {
  fc.assert(
    fc.property(json, (value) => {
      const text = canonicalJson(value);
      assert.equal(canonicalJson(reversed(value)), text);
      assert.equal(hashOf(reversed(value)), hashOf(value));
      assert.equal(canonicalJson(JSON.parse(text) as Json), text);
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
    }),
    { numRuns: 1000 },
  );
});

test('different values have different texts', () => {
  fc.assert(
    fc.property(json, json, (one, other) => {
      const isEqual = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
      assert.equal(canonicalJson(one) === canonicalJson(other), isEqual);
    }),
  );
});

function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}

function sorted(value: Json): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  return {
    entries: Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key]!)]),
  };
}
