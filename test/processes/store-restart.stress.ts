import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openLoops } from '../stress/stress.ts';
import { startOwnPostgres } from '../support/postgres.ts';
import { runAcrossRestart } from './store-restart.ts';

const { createLoop } = openLoops(import.meta);
const loop = createLoop({ small: 2, full: 60 }); // restarts
const server = await startOwnPostgres();
after(() => server?.[Symbol.asyncDispose]());
const skip = server === undefined && 'PostgreSQL is not installed';

test('runs outlive restarts of PostgreSQL at any moment', { skip }, async () => {
  if (server === undefined) return;
  await loop.rounds(async ({ random }) => {
    await runAcrossRestart(server, () => delay(random.below(250)), random.below(200));
  });
});
