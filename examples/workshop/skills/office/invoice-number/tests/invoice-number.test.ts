import assert from 'node:assert/strict';
import { test } from 'node:test';
import { action } from '../src/index.ts';

test('the count goes up within a year and starts again in the next one', async () => {
  assert.equal(await action({ last: '2026-0147', day: '2026-11-15' }), '2026-0148');
  assert.equal(await action({ last: '2026-0312', day: '2027-01-02' }), '2027-0001');
});

test('a day before the year of the last number is refused', async () => {
  await assert.rejects(action({ last: '2027-0001', day: '2026-12-31' }), /2027.*2026/);
  await assert.rejects(action({ last: '2026-9999', day: '2026-12-31' }), /used up/);
});
