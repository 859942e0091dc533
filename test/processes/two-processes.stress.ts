import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLoops } from '../stress/stress.ts';
import { tree } from '../support/tree.ts';
import { checkLog, logOf, startWorker, stepKeys } from './start-worker.ts';
import { lanesValue } from './worker-skills.ts';

const { createLoop } = openLoops(import.meta);
const loop = createLoop({ small: 20, full: 200 }); // steps of each run
const lanes = 3;

test('SQLite: two processes with several runs each lose no append and fail for no lock', async () => {
  await loop.sizes(async (steps) => {
    const times = Math.max(3, Math.round(steps / 20)); // runs of each process
    using folder = tree();
    const store = folder.at('shared.db');
    const order = { store, effects: '', run: { skill: 'lanes', input: { lanes, steps, stepMs: 1 } }, times };
    await using one = startWorker(order, folder.at('cache'));
    await using other = startWorker(order, folder.at('cache'));
    await Promise.all([one.line('ready'), other.line('ready')]);
    for (const worker of [one, other]) worker.proceed();
    const reports = await Promise.all([one.line('results'), other.line('results')]);
    for (const end of await Promise.all([one.ended, other.ended])) assert.equal(end.code, 0, end.err);

    const results = reports.flatMap((report) => report.results);
    assert.equal(new Set(results.map(({ runId }) => runId)).size, 2 * times);
    for (const { status, value, runId, error } of results) {
      assert.equal(status, 'done', JSON.stringify(error));
      assert.deepEqual(value, lanesValue(lanes, steps));
      const log = await logOf(store, runId);
      checkLog(log);
      assert.equal(stepKeys(log, 'step.ended').length, lanes * steps);
    }
  });
});
