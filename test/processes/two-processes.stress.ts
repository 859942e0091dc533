import assert from 'node:assert/strict';
import { test } from 'node:test';
import { count } from '../stress/count.ts';
import { tree } from '../support/tree.ts';
import { checkLog, logOf, startWorker, stepKeys } from './start-worker.ts';
import { lanesValue } from './worker-skills.ts';

const times = count({ small: 3, full: 10 });
const steps = count({ small: 20, full: 200 });
const lanes = 3;
const longestGap = 500; // milliseconds, on a machine that does other things too

test('SQLite: two processes with several runs each lose no append, fail for no lock and stay awake', async (t) => {
  using folder = tree();
  const store = folder.at('shared.db');
  const order = { store, effects: '', run: { skill: 'lanes', input: { lanes, steps, stepMs: 1 } }, times };
  await using one = startWorker(order, folder.at('cache'));
  await using other = startWorker(order, folder.at('cache'));
  await Promise.all([one.line('ready'), other.line('ready')]);
  const start = performance.now();
  for (const worker of [one, other]) worker.tell();
  const reports = await Promise.all([one.line('results'), other.line('results')]);
  const seconds = (performance.now() - start) / 1_000;
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
  const gaps = reports.map((report) => report.longestGap);
  const appends = reports.reduce((sum, report) => sum + report.appends, 0);
  t.diagnostic(
    `longest gaps of the event loops: ${gaps.map((gap) => gap.toFixed(1)).join(' and ')} ms; ` +
      `${appends} appends in ${seconds.toFixed(1)} s`,
  );
  for (const gap of gaps) assert.ok(gap < longestGap, `an event loop stood still for ${gap} ms`);
});
