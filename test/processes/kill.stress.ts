// Takes two shares: its rounds are long.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openStore } from '../../src/config/storage/open-store.ts';
import type { RunEvent } from '../../src/core/event.ts';
import type { Json } from '../../src/core/json.ts';
import { crashPoints } from '../stress/crash-points.ts';
import { openLoops } from '../stress/stress.ts';
import { checkLog, effectsIn, logOf, startWorker, stepKeys, type Worker } from './start-worker.ts';
import { sharedStores, type SharedStore } from './stores.ts';
import { twentySteps } from './worker-skills.ts';
import type { WorkerOrder } from './worker.ts';

const { folder, kinds } = await sharedStores();
const cache = folder.at('cache');
const { createLoop } = openLoops(import.meta);

for (const kind of kinds) {
  const atBoundaries = createLoop({ small: 2, full: Infinity, lanes: 2 });
  const atRandom = createLoop({ small: 1, full: 200, lanes: 2 });
  let known: ReturnType<typeof undisturbed> | undefined;
  const disturbedByNobody = (): ReturnType<typeof undisturbed> => (known ??= undisturbed(kind));

  test(
    `${kind.name}: kill -9 at every journal boundary of a run with twenty effects`,
    { skip: kind.skip },
    async (t) => {
      const figures = new Figures();
      const reference = await disturbedByNobody();
      await atBoundaries.each(crashPoints(reference.appends + 3), async (kill) => {
        const again = { at: 1 + (kill.at % 5), when: kill.when };
        const isHitAgain = kill.at % 3 === 0; // so that resuming processes also die
        await round(kind, `${kill.when}-${kill.at}`, reference.value, figures, (attempt) => ({
          ...(attempt === 0 ? { kill } : attempt === 1 && isHitAgain ? { kill: again } : {}),
        }));
      });
      figures.report(t);
    },
  );

  test(
    `${kind.name}: kill -9 at random moments of a run with twenty effects`,
    { skip: kind.skip },
    async (t) => {
      const figures = new Figures();
      const reference = await disturbedByNobody();
      await atRandom.rounds(async ({ number, random }) => {
        const moment = (random.below(10_000) / 10_000) * reference.duration;
        await round(kind, `random-${number}`, reference.value, figures, (attempt) =>
          attempt === 0 ? { moment } : {},
        );
      });
      figures.report(t);
    },
  );
}

/** The fate of a process: it dies at an append, after a number of milliseconds, or not at all. */
interface Fate {
  readonly kill?: WorkerOrder['kill'];
  readonly moment?: number;
}

class Figures {
  kills = 0;
  takeOvers = 0;
  repeated = 0;
  neverBegun = 0;
  hadEnded = 0;

  report(t: TestContext): void {
    const { kills, takeOvers, repeated, neverBegun, hadEnded } = this;
    t.diagnostic(
      `${kills} kills, ${takeOvers} take-overs, ${repeated} effects in flight performed again, ` +
        `${neverBegun} runs killed before they began, ${hadEnded} after they ended`,
    );
  }
}

/** Returns the value, the number of appends and the duration in milliseconds of an undisturbed run. */
async function undisturbed(kind: SharedStore): Promise<{ value: Json; appends: number; duration: number }> {
  const label = `reference-${Math.random()}`;
  await using worker = startWorker(orderOf(kind, label), cache);
  await worker.line('begun');
  const start = performance.now();
  const { result, appends } = await worker.line('result');
  const duration = performance.now() - start;
  assert.equal(result.status, 'done', JSON.stringify(result));
  assert.equal((await worker.ended).code, 0);
  assert.equal(effectsIn(orderOf(kind, label).effects).length, twentySteps);
  return { value: result.value ?? null, appends, duration };
}

/** Kills and resumes a run until it has ended. Checks that finished work is not repeated. */
async function round(
  kind: SharedStore,
  label: string,
  expected: Json,
  figures: Figures,
  fateOf: (attempt: number) => Fate,
): Promise<void> {
  const order = orderOf(kind, label);
  let id: string | undefined;
  for (let attempt = 0; ; attempt += 1) {
    assert.ok(attempt < 5, `${label}: the run does not end`);
    const before = id === undefined ? [] : await logOf(order.store, id);
    const performed = effectsIn(order.effects);
    const { kill, moment } = fateOf(attempt);
    await using worker = startWorker(
      { ...order, ...(id === undefined ? {} : { run: id }), ...(kill && { kill }) },
      cache,
    );
    const line = await worker.line('id').catch(() => undefined);
    id ??= line?.id;
    if (attempt > 0) figures.takeOvers += 1;
    const isKilled = await waitForExit(worker, moment);
    assert.ok(id !== undefined, `${label}: the worker never said its id`);
    const log = await logOf(order.store, id);
    checkNoneAgain(label, before, effectsIn(order.effects).slice(performed.length));
    if (isKilled) figures.kills += 1;
    if (log.length === 0) {
      assert.deepEqual(effectsIn(order.effects), [], `${label}: effects without a log`);
      figures.neverBegun += 1;
      return;
    }
    if (log.at(-1)?.type !== 'run.ended') {
      const { lines, err } = await worker.ended;
      assert.ok(isKilled, `${label}: the run stopped by itself: ${JSON.stringify(lines)} ${err}`);
      continue;
    }
    if (isKilled) figures.hadEnded += 1;
    await checkEnd(order, log, expected, label);
    figures.repeated += effectsIn(order.effects).length - twentySteps;
    return;
  }
}

function orderOf(kind: SharedStore, label: string): WorkerOrder {
  return {
    store: kind.locate(label),
    effects: folder.at(`${label}-${kind.name}.effects`),
    run: { skill: 'twenty', input: null, session: label },
  };
}

/** Waits for the end of a process. Resolves to whether it was killed. */
async function waitForExit(worker: Worker, moment: number | undefined): Promise<boolean> {
  if (moment !== undefined) {
    await worker.line('begun').catch(() => undefined);
    await Promise.race([delay(moment), worker.ended]);
    worker.signal('SIGKILL');
  }
  const { code, signal, err } = await worker.ended;
  assert.ok(code === 0 || signal === 'SIGKILL', `the worker failed: ${err}`);
  return signal === 'SIGKILL';
}

/** Checks that the next process performs no step that had ended in the log when a process died. */
function checkNoneAgain(label: string, log: readonly RunEvent[], later: ReturnType<typeof effectsIn>): void {
  const ended = new Set(stepKeys(log, 'step.ended'));
  assert.deepEqual(
    later.filter(({ key }) => ended.has(key)),
    [],
    `${label}: finished steps were performed again`,
  );
}

async function checkEnd(
  order: WorkerOrder,
  log: readonly RunEvent[],
  expected: Json,
  label: string,
): Promise<void> {
  checkLog(log);
  const end = log.at(-1);
  assert.ok(end?.type === 'run.ended' && end.output.status === 'done', `${label}: ${JSON.stringify(end)}`);
  assert.deepEqual(end.output.value, expected, label);
  const effects = effectsIn(order.effects);
  const keys = new Map<string, string>();
  for (const { step, key } of effects) {
    assert.equal(keys.get(step) ?? key, key, `${label}: "${step}" has two idempotency keys`);
    keys.set(step, key);
  }
  assert.equal(keys.size, twentySteps, `${label}: not every effect was performed`);
  assert.equal(new Set(keys.values()).size, twentySteps, `${label}: two effects share an idempotency key`);
  const store = await openStore(order.store);
  try {
    const memory = await store.entries(`memory/${label}`);
    assert.deepEqual(Object.fromEntries(memory), { 'twenty/count': 1, 'leaf/seen': 3 }, label);
  } finally {
    await store.close();
  }
}
