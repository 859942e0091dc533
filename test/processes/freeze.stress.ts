// Takes two shares: its rounds are long.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import { defineSkill } from '../../src/core/define-skill.ts';
import type { RunEvent, RunHandle } from '../../src/core/event.ts';
import { isJsonObject } from '../../src/core/json.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Round } from '../stress/loops.ts';
import { openLoops } from '../stress/stress.ts';
import { until } from '../support/deadline.ts';
import { checkLog, effectsIn, startWorker, stepKeys, type Worker } from './start-worker.ts';
import { sharedStores } from './stores.ts';
import { lanesValue, workerSkills } from './worker-skills.ts';
import type { WorkerOrder } from './worker.ts';

const { folder, kinds } = await sharedStores();
const cache = folder.at('cache');
const { createLoop } = openLoops(import.meta);
const lanes = 3;
const steps = 15;
const stepMs = 8; // long compared with a write, during which no process should be frozen
const longestClaim = 1_000; // milliseconds

for (const kind of kinds) {
  const loop = createLoop({ small: 2, full: 100 });
  test(
    `${kind.name}: a process that is frozen, overtaken and thawed appends nothing`,
    { skip: kind.skip },
    async (t) => {
      const figures = { early: 0, thawedToClaim: 0, lateEffects: 0, lostClaims: 0, ended: 0, handed: 0 };
      const store = kind.locate('freeze');
      const effects = folder.at(`${kind.name}.effects`);
      await using agent = new RecursiveSkilledAgent({ store, embeddings: false });
      for (const skill of workerSkills(effects)) agent.skills.register(skill);
      await agent.runs.list(); // opens the store, which is impossible while a process is frozen in the middle of a write
      const order = { store, effects, run: { skill: 'lanes', input: { lanes, steps, stepMs } } };
      const duration = await durationOf(order);
      const takeOver = async ({ number, random }: Round): Promise<boolean> => {
        await using worker = startWorker(order, cache);
        const { id } = await worker.line('id');
        await worker.line('begun');
        await delay((random.below(1_000) / 1_000) * duration);
        await freeze(worker);
        if (await hasEnded(agent, id)) {
          figures.early += 1;
          assert.ok(figures.early < 5 * (number + 1) + 10, 'the runs end before they can be frozen');
          return false;
        }
        const handle = agent.runs.resume(id, { takeOver: true });
        const claim = await claimed(handle, worker);
        figures.thawedToClaim += claim.thaws;
        if (!claim.isTakenOver) {
          figures.early += 1; // it ended while it was resumed for the claim
          return false;
        }
        const ownBefore = effectsOf(effects, worker.pid);
        const isFinishedFirst = number % 2 === 0; // otherwise both run at once
        const result = isFinishedFirst ? await handle.result : undefined;
        const before = isFinishedFirst ? await agent.runs.events(id) : undefined;
        worker.signal('SIGCONT');
        const { status, value } = result ?? (await handle.result);
        assert.equal(status, 'done');
        assert.deepEqual(value, lanesValue(lanes, steps));

        const { result: said } = await worker.line('result');
        const end = await worker.ended;
        assert.equal(end.code, 0, end.err);
        const log = await agent.runs.events(id);
        if (before !== undefined) assert.deepEqual(log, before, 'the thawed process changed the log');
        checkLog(log);
        checkWriters(log);
        checkBegun(log, effectsOf(effects, worker.pid));
        const late = effectsOf(effects, worker.pid).slice(ownBefore.length);
        checkLate(
          log,
          late.map(({ key }) => key),
        );

        assert.ok(said.status === 'done' || said.error?.code === 'internal.claim-lost', JSON.stringify(said));
        if (said.status === 'done') assert.deepEqual(said.value, value);
        figures[said.status === 'done' ? 'ended' : 'lostClaims'] += 1;
        figures.lateEffects += late.length;
        figures.handed += stepKeys(afterTakeOver(log), 'step.ended').length;
        return true;
      };
      const rounds = await loop.rounds(async (round) => {
        while (!(await takeOver(round)));
      });
      t.diagnostic(
        `${rounds} take-overs with ${figures.handed} steps left to the second process, 0 appends by the first; ` +
          `${figures.lateEffects} effects in flight after the thaw; the first one then said: ` +
          `overtaken ${figures.lostClaims}, ended ${figures.ended}; ` +
          `thawed for a claim ${figures.thawedToClaim}, too late to freeze ${figures.early}`,
      );
    },
  );
}

test('a run that ends while another process claims it stays ended', async () => {
  const store = createMemoryStore();
  const claiming = Promise.withResolvers<undefined>();
  const claim: typeof store.claim = async (...given) => {
    claiming.resolve(undefined);
    await handle.result; // as if the lock had been hard to acquire
    return store.claim(...given);
  };
  const patient = defineSkill({
    name: 'patient',
    description: 'Ends when somebody claims its run.',
    async run(_input, scope) {
      await scope.step('wait', () => claiming.promise.then(() => true));
      return { status: 'done', text: 'done' };
    },
  });
  await using first = new RecursiveSkilledAgent({ store, embeddings: false });
  await using second = new RecursiveSkilledAgent({ store: { ...store, claim }, embeddings: false });
  for (const agent of [first, second]) agent.skills.register(patient);
  const handle = first.run({ skill: 'patient' });
  await until(async () => (await first.runs.events(handle.id)).length > 0, 'the run has begun');
  const taken = second.runs.resume(handle.id, { takeOver: true });
  const { status, text } = await handle.result;
  const log = await first.runs.events(handle.id);
  const result = await taken.result;
  assert.deepEqual([status, result.status, result.text], ['done', status, text]);
  assert.deepEqual(await first.runs.events(handle.id), log, 'it went on after its end');
});

test('a run that is taken over within its process lets its first caller go', async () => {
  const effects = folder.at('within.effects');
  await using agent = new RecursiveSkilledAgent({ embeddings: false });
  for (const skill of workerSkills(effects)) agent.skills.register(skill);
  const first = agent.run({ skill: 'hang', input: { listens: false } });
  await until(() => effectsIn(effects).length === 1, 'the effect has begun');
  const second = agent.runs.resume(first.id, { takeOver: true });
  const { status, error } = await first.result;
  assert.deepEqual([status, error?.code], ['running', 'internal.claim-lost']);
  await until(() => effectsIn(effects).length === 2, 'the effect has begun again');
  await second.cancel();
  assert.equal((await second.result).status, 'cancelled');
  checkLog(await agent.runs.events(first.id));
});

/** Returns the duration of an undisturbed run, in milliseconds. */
async function durationOf(order: WorkerOrder): Promise<number> {
  await using worker = startWorker(order, cache);
  await worker.line('begun');
  const start = performance.now();
  await worker.line('result');
  return performance.now() - start;
}

/** Stops a process. Resolves when it no longer runs. */
async function freeze(worker: Worker): Promise<void> {
  worker.signal('SIGSTOP');
  await until(() => /^[TtZ]$/.test(stateOf(worker.pid)), 'the process is frozen');
}

/** Returns the state letter of a process. Z if it is gone. */
function stateOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2, text.lastIndexOf(')') + 3);
  } catch {
    return 'Z';
  }
}

async function hasEnded(agent: RecursiveSkilledAgent, id: string): Promise<boolean> {
  return (await agent.runs.events(id)).at(-1)?.type === 'run.ended';
}

/**
 * Resolves when the run is claimed or has ended, to the number of times that the other process had to be
 * resumed for that. A process that is frozen while it writes to a file blocks all other writers.
 */
async function claimed(handle: RunHandle, worker: Worker): Promise<{ isTakenOver: boolean; thaws: number }> {
  const resumed = (async () => {
    for await (const event of handle.events) if (event.type === 'run.resumed') return true;
    return false;
  })();
  for (let thaws = 0; ; thaws += 1) {
    const isTakenOver = await Promise.race([resumed, delay(longestClaim, undefined, { ref: false })]);
    if (isTakenOver !== undefined) return { isTakenOver, thaws };
    worker.signal('SIGCONT');
    await delay(5);
    await freeze(worker);
  }
}

function effectsOf(file: string, pid: number): ReturnType<typeof effectsIn> {
  return effectsIn(file).filter((effect) => effect.pid === pid);
}

function afterTakeOver(log: readonly RunEvent[]): readonly RunEvent[] {
  return log.slice(log.findIndex(({ type }) => type === 'run.resumed'));
}

/**
 * Checks that every step that ended after the claim was lost comes from the new owner, which is this process.
 */
function checkWriters(log: readonly RunEvent[]): void {
  const [taken, ...after] = afterTakeOver(log);
  assert.ok(taken?.type === 'run.resumed' && taken.owner.startsWith(`${process.pid}@`));
  assert.ok(after.every(({ type }) => type !== 'run.resumed'));
  for (const event of after) {
    if (event.type !== 'step.ended') continue;
    const { value } = event;
    assert.ok(value !== undefined && isJsonObject(value));
    assert.equal(value['pid'], process.pid, 'a step ended in the process that was overtaken');
  }
}

/** Checks that the first process performed only steps that it had recorded before it lost the claim. */
function checkBegun(log: readonly RunEvent[], own: ReturnType<typeof effectsIn>): void {
  const before = log.slice(0, log.length - afterTakeOver(log).length);
  const begun = new Set(stepKeys(before, 'step.started'));
  assert.deepEqual(
    own.filter(({ key }) => !begun.has(key)),
    [],
    'performed what was not announced',
  );
}

/**
 * Checks that a resumed process only finishes steps that were in progress when it lost the claim, at most one
 * per lane.
 */
function checkLate(log: readonly RunEvent[], late: readonly string[]): void {
  const before = log.slice(0, log.length - afterTakeOver(log).length);
  const ended = new Set(stepKeys(before, 'step.ended'));
  const underWay = new Set(stepKeys(before, 'step.started').filter((key) => !ended.has(key)));
  assert.deepEqual(
    late.filter((key) => !underWay.has(key)),
    [],
    'performed what was not under way',
  );
  assert.equal(new Set(late).size, late.length, 'performed something twice');
  assert.ok(late.length <= lanes);
}
