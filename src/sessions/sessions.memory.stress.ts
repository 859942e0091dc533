// Runs alone: measures memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openLoops } from '../../test/stress/stress.ts';
import { nothing, stageSessions } from '../../test/support/session-stage.ts';

const { createLoop } = openLoops(import.meta);
const loop = createLoop({ small: 3_000, full: 100_000 });
const most = 2_000_000; // bytes

test('memory stays flat while sessions come and go', async (t) => {
  await loop.sizes(async (cycles) => {
    const { sessions, store, clock } = stageSessions({ maxSessions: 1_000 });
    const live = async (from: number, to: number): Promise<void> => {
      for (let index = from; index < to; index++) {
        clock.now += 1;
        const id = `session ${index}`;
        await sessions.turn(id, `user ${index}`, nothing);
        for (const space of [`memory/${id}`, `turns/${id}`]) await store.set(space, 'k', 'x'.repeat(100));
        await store.set('summaries', id, 'said');
      }
    };
    await live(0, 1_500); // all code is warm, and the table is full
    const before = await held();
    await live(1_500, 1_500 + cycles);
    const grown = (await held()) - before;
    assert.equal((await sessions.active()).length, 1_000);
    for (const space of ['sessions', 'summaries']) assert.equal((await store.entries(space)).size, 1_000);
    t.diagnostic(`${cycles} sessions: ${Math.round(grown / 1024)} KB more`);
    assert.ok(grown < most, `${grown} bytes more`);
  });
});

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Returns the smallest heap of several collections: finalizers free memory only after the one that calls them. */
async function held(): Promise<number> {
  let least = Infinity;
  for (let attempt = 0; attempt < 6; attempt++) {
    collect();
    least = Math.min(least, process.memoryUsage().heapUsed);
    await turn();
  }
  return least;
}
