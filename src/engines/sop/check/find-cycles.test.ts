import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCycles } from './find-cycles.ts';

for (const [what, needs, cycles] of [
  ['nothing', [], []],
  ['a chain', [[], [0], [1]], []],
  ['a diamond', [[1, 2], [3], [3], []], []],
  ['a step that needs itself', [[], [1]], [[1]]],
  ['two steps', [[1], [0]], [[0, 1]]],
  [
    'two circles apart',
    [[1], [0], [3], [2], [0]],
    [
      [0, 1],
      [2, 3],
    ],
  ],
  ['two circles that share a step, told once', [[1, 2], [0], [0]], [[0, 1]]],
  ['what hangs on a circle, which is no part of it', [[1], [2], [1]], [[1, 2]]],
  ['the shortest way round', [[1], [2, 0], [0]], [[0, 1]]],
] as const) {
  test(`finds ${cycles.length} in ${what}`, () => {
    assert.deepEqual(findCycles(needs), cycles);
  });
}

test('a circle of 100,000 is found without recursion', () => {
  const count = 100_000;
  const needs = Array.from({ length: count }, (_, node) => [(node + 1) % count]);
  assert.equal(findCycles(needs)[0]?.length, count);
});
