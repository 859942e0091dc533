import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agoText } from './ago.ts';

test('how long ago, in the largest unit that is full', () => {
  const cases: readonly (readonly [milliseconds: number, text: string])[] = [
    [-5_000, 'just now'],
    [59_999, 'just now'],
    [60_000, '1 min ago'],
    [3_599_999, '59 min ago'],
    [3_600_000, '1 h ago'],
    [86_399_999, '23 h ago'],
    [86_400_000, '1 day ago'],
    [172_800_000, '2 days ago'],
    [86_400_000_000, '1,000 days ago'],
  ];
  for (const [milliseconds, text] of cases) assert.equal(agoText(milliseconds), text);
});
