import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunResult } from '../../src/core/run.ts';
import type { Store } from '../../src/core/store.ts';
import { createScriptedModel } from '../../src/models/scripted.ts';
import { openSqliteStore } from '../../src/stores/sqlite/store.ts';
import {
  runWithCrashes,
  type CrashPoint,
  type Incarnation,
  type CrashResult,
} from '../../src/testing/crash-harness.ts';
import { resultOf } from '../../src/views/run-result.ts';
import { foldRun } from '../../src/views/run-tree.ts';
import { readLog } from '../../src/run/log/read-log.ts';
import { crashPoints } from '../stress/crash-points.ts';
import { openLoops } from '../stress/stress.ts';
import { checkLog } from '../support/program-checks.ts';
import { prompts, tourAgent, turnFor } from '../support/tour-stage.ts';
import { tree } from '../support/tree.ts';

const context = { sessionId: 'ann' };
const { createLoop } = openLoops(import.meta);
const loop = createLoop({ small: 4, full: 1_000 });

test('a prompt that is killed at any write has the same outcome, and no finished work is repeated', async (t) => {
  using folder = tree();
  let done: string[] = [];
  let files = 0;
  const runWith = (deaths: readonly CrashPoint[]): Promise<CrashResult<RunResult>> => {
    done = [];
    const open = (): Promise<Store> => openSqliteStore(folder.at(`runs-${(files += 1)}.db`));
    return runWithCrashes({ open, live: (incarnation) => live(incarnation, done) }, deaths);
  };
  const whole = await runWith([]);
  const expected = await accountOf(whole);
  await whole.store.close();
  assert.equal(expected.result.status, 'done', JSON.stringify(expected.result.error));
  const once = [...done].sort();
  assert.equal(once.length, 10); // nine model answers and one booking

  await loop.each(crashPoints(whole.appends), async (point) => {
    const where = JSON.stringify(point);
    const ended = await runWith([point]);
    assert.deepEqual(await accountOf(ended), expected, where);
    await ended.store.close();
    assert.deepEqual([...new Set(done)].sort(), once, where);
    assert.ok(done.length <= once.length + 1, `${where}: ${done.join('\n')}`); // work in progress
  });
  t.diagnostic(`${whole.appends} writes`);
});

/** Works as one process: starts the run or resumes it, and answers its questions. */
async function live({ store, effect }: Incarnation, done: string[]): Promise<RunResult> {
  const model = createScriptedModel((request) => {
    done.push(JSON.stringify([request.system, request.messages]));
    return turnFor(request);
  });
  const agent = tourAgent({ models: model, store }, (what) => effect(() => done.push(what)));
  void store.crashed.then(() => agent.shutdown({ drainMs: 0 }));
  const known = (await store.runs()).find(({ seq }) => seq > 0);
  const begun =
    known === undefined
      ? await agent.executePrompt(prompts.first, { context })
      : await agent.runs.resume(known.id, { takeOver: true }).result;
  const result = begun.status === 'waiting' ? await agent.executePrompt(prompts.answer, { context }) : begun;
  await agent.shutdown();
  return result;
}

/** Returns the parts of an outcome that must not depend on crashes. */
async function accountOf({ outcome, store }: CrashResult<RunResult>) {
  const { runId, ...result } = outcome;
  const events = await readLog(store, runId);
  checkLog(events);
  const { runId: _id, ...folded } = resultOf(foldRun(events));
  assert.deepEqual(folded, result);
  const memory = await store.entries('memory/ann');
  return {
    result,
    price: memory.get('price/last'),
    keys: [...memory.keys()].sort(),
    said: [...(await store.entries('turns/ann')).values()],
    ended: events
      .filter(({ type }) => type.endsWith('.ended') && type !== 'run.ended')
      .map(({ type, frameId, ...event }) => `${type} ${frameId} ${'key' in event ? event.key : ''}`)
      .sort(),
  };
}
