import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationText, moneyText, tokensText } from './text.ts';

test('durations', () => {
  const cases = [
    ...[
      [-5, '0.0 s'],
      [0, '0.0 s'],
      [400, '0.4 s'],
      [9_940, '9.9 s'],
      [9_950, '10 s'],
      [12_300, '12 s'],
    ],
    ...[
      [59_499, '59 s'],
      [59_500, '1 min'],
      [200_000, '3 min 20 s'],
      [3_599_600, '1 h'],
      [7_500_000, '2 h 5 min'],
    ],
  ] as const;
  for (const [milliseconds, text] of cases) assert.equal(durationText(milliseconds), text);
});

test('tokens and money', () => {
  assert.equal(tokensText({ inputTokens: 2_300, outputTokens: 10 }), '2,310 tok');
  assert.deepEqual([0, 0.001, 0.005, 0.04, 12].map(moneyText), [
    '$0.00',
    '<$0.01',
    '$0.01',
    '$0.04',
    '$12.00',
  ]);
});
