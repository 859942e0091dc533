import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeLeft } from './time-left.ts';

test('the time that is left is said in whole minutes until the last one', () => {
  const after = (seconds: number): string | undefined => timeLeft(1_000 * seconds + 5, 5);
  assert.equal(after(86_400), '24 h');
  assert.equal(after(86_399), '23 h 59 min');
  assert.equal(after(119), '1 min');
  assert.equal(after(59), '59 s');
  assert.equal(after(0.4), '0.4 s');
});

test('none is left at the moment itself', () => {
  assert.equal(timeLeft(5, 5), undefined);
  assert.equal(timeLeft(4, 5), undefined);
});
