import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdLong } from './long.ts';

test('a long conversation is summarised, and keeps its first result and the rules that it loaded', async () => {
  const { largest, summaries, cost } = await holdLong(16);
  assert.ok(summaries >= 1 && summaries <= 4, `${summaries} summaries`);
  assert.ok(largest > 30_000 && largest < 65_000, `${largest} tokens`);
  assert.ok(cost > 0);
});
