import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../testing/garbage.ts';
import { isAgentError } from '../error.ts';
import { isJsonObject, parseJson, unsafeKeys, type Json } from '../json.ts';
import { canonicalJson, hashOf, toPlain } from './normalize.ts';

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

const roundTrip = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null');

test('a value is what a way through JSON makes of it', () => {
  class Point {
    readonly x = 1;
    get y(): number {
      return 2;
    }
  }
  const lone = Object.assign(() => 1, { toJSON: () => ({ a: undefined, b: 1 }) });
  for (const value of [
    ...[undefined, null, true, 'a', '', 1, -0, Number.NaN, Infinity, Symbol('a'), () => 1, lone],
    ...[
      new Date(0),
      new Date(Number.NaN),
      new Map([[1, 2]]),
      new Set([1]),
      /a/,
      new Error('a'),
      Buffer.from('a'),
    ],
    ...[
      new Uint8Array([1, 2]),
      new Point(),
      Object.create({ inherited: 1 }) as object,
      Object.create(null) as object,
      new URL('a:b'),
    ],
    ...[...['a', 1, false, Symbol('a')].map((value): unknown => Object(value)), '\ud800', { '\ud800': 1 }],
    {
      a: undefined,
      b: () => 1,
      c: Symbol('c'),
      [Symbol('d')]: 1,
      e: [undefined, () => 1, Symbol('f')],
      g: -0,
    },
    [, 1], // eslint-disable-line no-sparse-arrays -- a hole is the point
    Object.assign([1], { extra: 2 }),
    { toJSON: (key: string) => `[${key}]` },
    { a: { toJSON: (key: string) => `[${key}]` }, b: [{ toJSON: (key: string) => `[${key}]` }] },
    { toJSON: () => undefined },
    { a: { toJSON: () => new Date(0) }, toJSON: 1 },
  ] as unknown[]) {
    assert.deepEqual(toPlain(value), roundTrip(value));
  }
});

test('big integers become text', () => {
  assert.deepEqual(toPlain({ a: 12345678901234567890n, b: [Object(1n)] }), {
    a: '12345678901234567890',
    b: ['1'],
  });
});

test('unsafe keys are dropped', () => {
  const value = JSON.parse(
    '{"__proto__": {"polluted": 1}, "constructor": 1, "a": [{"prototype": 1, "b": 2}]}',
  ) as unknown;
  assert.equal(JSON.stringify(toPlain(value)), '{"a":[{"b":2}]}');
});

test('a circular value and one that is too deep are refused in words', () => {
  const circular: Record<string, unknown> = { list: [] };
  (circular['list'] as unknown[]).push({ circular });
  assert.throws(
    () => toPlain(circular),
    (error) =>
      isAgentError(error) &&
      error.code === 'skill.failed' &&
      /contains itself/.test(error.message) &&
      !!error.hint,
  );
  const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
  for (const levels of [65, 5000])
    assert.throws(
      () => toPlain(nested(levels)),
      (error) =>
        isAgentError(error) &&
        error.code === 'skill.failed' &&
        /64 levels/.test(error.message) &&
        !!error.hint,
    );
  assert.deepEqual(toPlain(nested(64)), parseJson(JSON.stringify(nested(64))));
});

test('the same object twice is not circular', () => {
  const shared = { a: 1 };
  assert.deepEqual(toPlain([shared, { shared }]), [{ a: 1 }, { shared: { a: 1 } }]);
});

const withoutUnsafe = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value) ?? 'null', function (this: unknown, key, inner: unknown) {
    return unsafeKeys.has(key) && !Array.isArray(this) ? undefined : inner;
  });

test('any ordinary value is what a way through JSON makes of it, and doing it twice changes nothing', () => {
  const values = fc.anything({
    withDate: true,
    withMap: true,
    withSet: true,
    withTypedArray: true,
    withSparseArray: true,
    withBoxedValues: true,
    withNullPrototype: true,
    stringUnit: anyCharacter,
  });
  fc.assert(
    fc.property(values, (value) => {
      const plain = toPlain(value);
      assert.equal(JSON.stringify(plain), JSON.stringify(withoutUnsafe(value)));
      assert.deepEqual(toPlain(plain), plain);
    }),
    { numRuns: 2000 },
  );
});
