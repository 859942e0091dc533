// Takes two shares: its rounds are long.
import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { after, describe, test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import type { RunEvent } from '../../src/core/event.ts';
import { createScriptedModel } from '../../src/models/scripted.ts';
import { openModelServer, type ModelServer } from '../../src/testing/model-server/server.ts';
import { openLoops } from '../stress/stress.ts';
import { withoutBubblewrap } from '../support/bubblewrap.ts';
import { carriers } from '../support/carriers.ts';
import { changedSpec, invoiceFiles } from '../support/invoice-files.ts';
import { invoiceAgent, invoiceTurn } from '../support/invoice-stage.ts';
import { ofType } from '../support/kernel.ts';
import { tree } from '../support/tree.ts';
import { until } from '../support/deadline.ts';
import { logOf, startWorker, type Worker } from './start-worker.ts';
import type { WorkerOrder } from './worker.ts';

const { createLoop, isLong } = openLoops(import.meta);
const folder = tree();
after(() => {
  folder[Symbol.dispose]();
});
const cache = folder.at('cache');
const skill = 'invoice-total';
const input = { lines: '2 x 3.10\n1 x 6.15' };
const values = { old: { total: 12.35 }, rebuilt: { total: 12 } };
const uses: Readonly<Record<string, WorkerOrder['run']>> = {
  build: { skill, input: {}, mode: 'build' },
  call: { skill, input },
};

describe('processes that make the same code', { skip: withoutBubblewrap }, () => {
  for (const [what, run] of Object.entries(uses).slice(0, isLong ? 2 : 1)) {
    for (const stores of [
      ['one', 'one'],
      ['one', 'other'],
    ].slice(0, isLong ? 2 : 1)) {
      test(`at once, by a ${what} with ${new Set(stores).size} of their stores, make it once`, async () => {
        const directory = folder.at(`together-${what}-${stores.join('-')}`);
        const path = plant(directory);
        const latch = Promise.withResolvers<undefined>();
        await using server = await openModelServer(async ({ body }) => {
          await latch.promise;
          return invoiceTurn(body);
        });
        const orders = stores.map((name) => orderOf(path, `${directory}-${name}.db`, run));
        await using first = begin(orders[0], server);
        await server.waitForRequest(0);
        await using second = begin(orders[1], server);
        await second.line('begun');
        latch.resolve(undefined);
        for (const worker of [first, second]) {
          const { result } = await worker.line('result');
          assert.equal(result.status, 'done', JSON.stringify(result.error));
          if (what === 'call') assert.deepEqual(result.value, values.old);
          assert.equal((await worker.ended).code, 0);
        }
        assert.deepEqual(filesAsked(server).sort(), ['index.mjs', 'parse-lines.mjs', 'round-money.mjs']);
        checkClean(path, 'current');
      });
    }
  }
});

describe('a process that is killed while it makes code', { skip: withoutBubblewrap }, () => {
  const loop = createLoop({ small: 1, full: 50, lanes: 2 });

  test('leaves a usable skill, and the next process pays for no answer again', async (t) => {
    const figures = { early: 0, late: 0, old: 0, rebuilt: 0, reused: 0, again: 0, changed: 0 };
    const before = plant(folder.at('before'));
    await useBy(before, createScriptedModel(invoiceTurn), values.old);
    const durations = await durationsOf(before);
    await loop.rounds(async ({ number: index, random }) => {
      const phase = index % durations.length; // on a busy machine, times since the start are unreliable
      const moment = (random.below(1_000) / 1_000) * 1.2 * (durations[phase] ?? 0);
      await round(before, `killed-${index}`, index % 2 === 0 ? 'build' : 'call', { phase, moment }, figures);
    });
    report(t, figures);
  });
});

/**
 * The time at which a process is killed: milliseconds after its start, or after it requested the first or
 * second file.
 */
interface Fate {
  readonly phase: number;
  readonly moment: number;
}

type Figures = Record<'early' | 'late' | 'old' | 'rebuilt' | 'reused' | 'again' | 'changed', number>;

/** Kills one process, checks what it left, and lets another process continue. */
async function round(
  before: string,
  label: string,
  what: 'build' | 'call',
  fate: Fate,
  figures: Figures,
): Promise<void> {
  const path = changedCopy(before, folder.at(label));
  await using server = await openModelServer(({ body }) => invoiceTurn(body));
  const order = orderOf(path, folder.at(`${label}.db`), uses[what] ?? '');
  const id = await killedAt(fate, order, server);
  await until(() => carriers(path).length === 0, 'nothing of it is left');
  const log = await logOf(order.store, id);
  if (log.length === 0) figures.early += 1;
  if (log.at(-1)?.type === 'run.ended') figures.late += 1;

  const state = await look(path);
  figures[state] += 1;
  const paid = await answeredIn(order.store, log);
  const asked = server.requests.length;
  if (log.length > 0) {
    await using worker = begin({ ...order, run: id }, server);
    const { result } = await worker.line('result');
    const isChanged = state === 'rebuilt' && result.error?.code === 'skill.changed'; // by the run itself, which could no longer report it
    assert.ok(result.status === 'done' || isChanged, `${label}: ${JSON.stringify(result.error)}`);
    if (what === 'call' && !isChanged) assert.deepEqual(result.value, values.rebuilt, label);
    if (isChanged) figures.changed += 1;
    assert.equal((await worker.ended).code, 0);
    const again = filesAsked(server).slice(asked);
    assert.deepEqual(
      again.filter((file) => paid.includes(file)),
      [],
      `${label}: paid twice`,
    );
    figures.reused += paid.length;
    figures.again += again.length;
  }
  const force = state === 'rebuilt'; // if there is nothing to do, nothing is cleaned up either
  await using last = begin({ ...order, run: { skill, input: { force }, mode: 'build' } }, server);
  const { result } = await last.line('result');
  assert.equal(result.status, 'done', `${label}: ${JSON.stringify(result.error)}`);
  assert.equal((await last.ended).code, 0);
  await useBy(path, undefined, values.rebuilt);
  checkClean(path, 'current');
  assert.deepEqual(carriers(path), []);
}

/** Writes the project without generated code to a folder. */
function plant(directory: string): string {
  for (const [file, text] of Object.entries(invoiceFiles('mjs')))
    folder.write(join(relative(folder.path, directory), file), text);
  return directory;
}

/** Creates a copy of the project with generated code, in which a spec has changed. */
function changedCopy(before: string, directory: string): string {
  cpSync(before, directory, { recursive: true });
  const [file, text] = changedSpec('mjs');
  folder.write(join(relative(folder.path, directory), file), text);
  return directory;
}

function orderOf(path: string, store: string, run: WorkerOrder['run']): WorkerOrder {
  const options = {
    models: 'anthropic/claude-sonnet-5-5',
    workspace: path,
    additionalSkillRoots: [join(path, 'skills')], // named, and thereby trusted
  };
  return { store, effects: '', run, options };
}

function begin(order: WorkerOrder | undefined, { url }: ModelServer): Worker {
  assert.ok(order !== undefined);
  return startWorker(order, cache, { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-test-4f9a8b7c6d5e' });
}

/** Returns the duration of each phase of an undisturbed build, in milliseconds. */
async function durationsOf(before: string): Promise<readonly number[]> {
  const path = changedCopy(before, folder.at('undisturbed'));
  await using server = await openModelServer(({ body }) => invoiceTurn(body));
  await using worker = begin(orderOf(path, `${path}.db`, uses['build'] ?? ''), server);
  const times: number[] = [];
  for (const phase of [0, 1, 2]) {
    await begun(phase, worker, server);
    times.push(performance.now());
  }
  const { result } = await worker.line('result');
  assert.equal(result.status, 'done', JSON.stringify(result.error));
  times.push(performance.now());
  return times.slice(1).map((time, index) => time - (times[index] ?? time));
}

/** Resolves when a phase of a build has begun. */
async function begun(phase: number, worker: Worker, server: ModelServer): Promise<void> {
  if (phase === 0) await worker.line('id');
  else await server.waitForRequest(phase - 1);
}

/** Kills a process and returns the id of its run. */
async function killedAt({ phase, moment }: Fate, order: WorkerOrder, server: ModelServer): Promise<string> {
  await using worker = begin(order, server);
  const { id } = await worker.line('id');
  await Promise.race([begun(phase, worker, server), worker.ended]);
  await Promise.race([delay(moment), worker.ended]);
  worker.signal('SIGKILL');
  const { code, signal, err } = await worker.ended;
  assert.ok(signal === 'SIGKILL' || code === 0, err);
  return id;
}

/** Returns which code another process without a model finds: the complete old or the complete new one. */
async function look(path: string): Promise<'old' | 'rebuilt'> {
  await using agent = invoiceAgent(path, { models: { model: () => undefined } });
  const { value, error } = await agent.run({ skill, input }).result;
  const { status, files } = agent.inspect(agent.skills.resolve(skill)) ?? {};
  const state = JSON.stringify(value) === JSON.stringify(values.old) ? 'old' : 'rebuilt';
  assert.deepEqual(value, values[state], JSON.stringify(error));
  assert.equal(status, state === 'old' ? 'due' : 'current', JSON.stringify(files));
  return state;
}

async function useBy(
  path: string,
  model: ReturnType<typeof createScriptedModel> | undefined,
  expected: object,
): Promise<void> {
  await using agent = invoiceAgent(path, { models: model ?? { model: () => undefined } });
  const { value, error } = await agent.run({ skill, input }).result;
  assert.deepEqual(value, expected, JSON.stringify(error));
}

/** Returns the files whose answers are in the log of a run, or of the preparation that it waited for. */
async function answeredIn(store: string, log: readonly RunEvent[]): Promise<readonly string[]> {
  const preparations = ofType(log, 'prepare.started').map(({ run }) => run);
  const logs = await Promise.all(preparations.map((run) => logOf(store, run)));
  const all = [log, ...logs].flat();
  return ofType(all, 'model.ended').map(({ key }) => key.split(':')[2] ?? '');
}

/** Returns the requested files, in order. */
function filesAsked({ requests }: ModelServer): string[] {
  return requests.map(({ body }) => /Write src\/([\w.-]+)\./.exec(JSON.stringify(body))?.[1] ?? '');
}

/** Checks that the code matches its manifest, and that only the lock is left of the generation. */
function checkClean(path: string, status: string): void {
  const agent = new RecursiveSkilledAgent({ startDir: path, searchUpwards: false, embeddings: false });
  assert.equal(agent.inspect(agent.skills.resolve(skill))?.status, status);
  const directory = join(path, 'skills', '.generation', skill);
  const left = existsSync(directory) ? readdirSync(directory) : [];
  assert.deepEqual(
    left.filter((name) => !name.startsWith('lock')),
    [],
  );
}

function report(t: TestContext, { early, late, old, rebuilt, reused, again, changed }: Figures): void {
  t.diagnostic(
    `${early} killed before they began, ${late} after they ended; ${old} left the old code, ${rebuilt} the new; ` +
      `${reused} answers were kept, ${again} asked for afterwards; ${changed} runs could not go on`,
  );
}
