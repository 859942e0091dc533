import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { lengthOf, nearness, nearnessAt, quantise } from './vectors.ts';

/** Independent random vectors of length 1, like those of a model. */
const unitVectors = (dimensions: number): fc.Arbitrary<Float32Array> =>
  fc.integer().map((seed) => {
    let state = seed;
    const numbers = Array.from({ length: dimensions }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
      return state / 2 ** 31;
    });
    return Float32Array.from(numbers, (number) => number / Math.hypot(...numbers));
  });

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, number, index) => sum + number * (b[index] ?? 0), 0);
}

test('the product of quantised vectors is that of the vectors, but for a little', () => {
  const pairs = fc.tuple(unitVectors(384), unitVectors(384));
  fc.assert(
    fc.property(pairs, ([a, b]) => {
      assert.ok(Math.abs(nearness(quantise(a), quantise(b)) - cosine(a, b)) < 0.005);
    }),
    { numRuns: 30 },
  );
});

test('a vector is nearest to itself, and nearness has no direction', () => {
  const pairs = fc.nat(20).chain((size) => fc.tuple(unitVectors(size + 1), unitVectors(size + 1)));
  fc.assert(
    fc.property(pairs, ([one, two]) => {
      const [a, b] = [quantise(one), quantise(two)];
      assert.ok(Math.abs(nearness(a, a) - 1) < 1e-9);
      assert.ok(Math.abs(nearness(a, b)) < 1 + 1e-9);
      assert.ok(Math.abs(nearness(a, b) - nearness(b, a)) < 1e-9);
    }),
  );
});

test('a vector in a row is as near as it is alone, whatever the dimensions', () => {
  for (const size of [1, 3, 4, 5, 7, 8, 384]) {
    const [a, b] = [1, 2].map((step) =>
      Int8Array.from({ length: size }, (_, index) => ((index * 37 + step * 11) % 255) - 127),
    );
    assert.ok(a && b);
    const row = Int8Array.from([...b, ...a, ...b]);
    assert.equal(nearnessAt(row, size, b), nearness(a, b));
    assert.equal(nearnessAt(row, size, b, lengthOf(b)), nearness(a, b));
  }
});

test('an empty vector is near to nothing', () => {
  const none = quantise(new Float32Array(4));
  assert.deepEqual(none, new Int8Array(4));
  assert.equal(nearness(none, Int8Array.of(1, 2, 3, 4)), 0);
  assert.equal(nearness(Int8Array.of(1, 2, 3, 4), none), 0);
});

test('the largest number takes the full range, on either side of zero', () => {
  assert.deepEqual(quantise(Float32Array.of(0.25, -0.5, 0)), Int8Array.of(64, -127, 0));
  assert.deepEqual(quantise(Float32Array.of(1, 0)), Int8Array.of(127, 0));
});
