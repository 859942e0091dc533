// Runs alone: measures memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openLoops } from '../stress/stress.ts';
import { holdLong } from './long.ts';

const { createLoop } = openLoops(import.meta);
const loop = createLoop({ small: 40, full: 200 });
const most = 12_000_000; // bytes

test('200 turns have bounded requests, a cost and flat memory', async (t) => {
  await loop.sizes(async (turns) => {
    let before = 0;
    let after = 0;
    const { largest, summaries, cost } = await holdLong(turns, async (number) => {
      if (number === Math.floor(turns / 2)) before = await held();
      if (number === turns - 1) after = await held();
    });
    t.diagnostic(
      `${turns} turns: ${Math.round(largest)} tokens at most, ${summaries} summaries, $${cost.toFixed(2)}, ${after - before} bytes more`,
    );
    assert.ok(largest < 65_000, `${largest} tokens`);
    assert.ok(cost > 0);
    assert.ok(after - before < most, `${after - before} bytes more`);
  });
});

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Returns the smallest heap of several collections. */
async function held(): Promise<number> {
  let least = Infinity;
  for (let attempt = 0; attempt < 6; attempt += 1) {
    collect();
    least = Math.min(least, process.memoryUsage().heapUsed);
    await turn();
  }
  return least;
}
