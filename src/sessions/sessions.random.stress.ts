import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLoops } from '../../test/stress/stress.ts';
import type { Random } from '../../test/support/random.ts';
import { SessionModel } from '../../test/support/session-model.ts';
import { denied, mustNotRun, stageSessions, type SessionStage } from '../../test/support/session-stage.ts';
import { tree } from '../../test/support/tree.ts';
import { defaultSession, type SessionConfig } from '../core/session.ts';
import type { Epoch, Store } from '../core/store.ts';
import { createMemoryStore } from '../stores/memory.ts';
import { openSqliteStore } from '../stores/sqlite/store.ts';
import { ended, started, waiting } from '../testing/store/test-store.ts';
import type { Sessions } from './sessions.ts';

const { createLoop, size } = openLoops(import.meta);
const ids = [defaultSession, '__proto__', 'a', 'a/', 'a/b', '😀', 'long'.repeat(80), 'one', 'two', 'three'];
const users = [undefined, 'ann', 'bob'];
const config: SessionConfig = { maxSessions: 4, sessionTTL: 1_000, cleanupInterval: 0 };

const inMemory = createLoop({ small: 2, full: 4 });
test('random operations on sessions in memory do what a small model says', async () => {
  const operations = size({ small: 1_000, full: 10_000 });
  await inMemory.rounds(({ random }) => compare(random, operations, createMemoryStore()));
});

const inSqlite = createLoop({ small: 1, full: 4 });
test('random operations on sessions in SQLite do what a small model says', async () => {
  using folder = tree();
  const operations = size({ small: 50, full: 1_000 });
  await inSqlite.rounds(async ({ number, random }) => {
    await compare(random, operations, await openSqliteStore(folder.at(`${number}.db`)));
  });
});

/** Work in progress in a session. Its end is a separate operation. */
interface Open {
  readonly id: string;
  readonly user: string | undefined;
  readonly isTurn: boolean;
  finish(): Promise<void>;
}

interface Stage extends SessionStage {
  readonly random: Random;
  readonly model: SessionModel;
  readonly open: Open[];
  readonly epochs: Map<string, Epoch>;
  current: Sessions;
}

async function compare(random: Random, operations: number, store: Store): Promise<void> {
  const basis = stageSessions(config, { store });
  const stage: Stage = {
    ...basis,
    random,
    model: new SessionModel(config, basis.clock.now),
    open: [],
    epochs: new Map(),
    current: basis.sessions,
  };
  let done = '';
  try {
    for (let step = 1; step <= operations; step++) {
      const [what, operate] = stage.random.pick(operationNames);
      done = `${step}: ${what}`;
      await operate(stage, stage.random.pick(ids));
      await mustBeEqual(stage);
    }
    while (stage.open.length > 0) await endOne(stage);
    await mustBeEqual(stage);
  } catch (thrown) {
    throw new Error(`operation ${done}`, { cause: thrown });
  } finally {
    await store.close();
  }
}

const operations = {
  turn: (stage: Stage, id: string) => whole(stage, id, true),
  'another turn': (stage: Stage, id: string) => whole(stage, id, true),
  'work beside': (stage: Stage, id: string) => whole(stage, id, false),
  'begin a turn': (stage: Stage, id: string) => beginOne(stage, id, true),
  'begin work': (stage: Stage, id: string) => beginOne(stage, id, false),
  end: endOne,
  'end another': endOne,
  async wait({ store, model, epochs }: Stage, id: string) {
    const epoch = epochs.get(id) ?? (await store.claim(`run of ${id}`, 'me'));
    const events = epochs.has(id) ? [waiting()] : [started({ session: id }), waiting()];
    epochs.set(id, epoch);
    await store.append(`run of ${id}`, epoch, events);
    model.waiting.add(id);
  },
  async 'wait no more'({ store, model, epochs }: Stage, id: string) {
    const epoch = epochs.get(id);
    if (epoch !== undefined) await store.append(`run of ${id}`, epoch, [ended()]);
    model.waiting.delete(id);
  },
  async clear({ open, current, model }: Stage, id: string) {
    if (open.some((one) => one.isTurn && one.id === id)) return; // it would wait for that turn
    await current.clear(id);
    model.clear(id);
  },
  async delete({ open, current, model }: Stage, id: string) {
    if (open.some((one) => one.isTurn && one.id === id)) return;
    assert.equal(await current.delete(id), model.delete(id));
  },
  async 'clean up'({ current, model }: Stage) {
    assert.equal(await current.cleanUp(), model.cleanUp());
  },
  'a moment passes': (stage: Stage) => pass(stage, stage.random.below(50)),
  'time passes': (stage: Stage) => pass(stage, stage.random.below(800)),
  async restart(stage: Stage) {
    while (stage.open.length > 0) await endOne(stage);
    stage.current = stage.begin();
    stage.model.restart();
  },
};
const operationNames: readonly [string, (stage: Stage, id: string) => Promise<void>][] =
  Object.entries(operations);

async function pass({ clock, model }: Stage, milliseconds: number): Promise<void> {
  clock.now += milliseconds;
  model.now = clock.now;
  await Promise.resolve();
}

/** Returns a session's user, or sometimes another one. Most operations are therefore allowed. */
function userOf({ random }: Stage, id: string): string | undefined {
  return random.below(10) === 0 ? random.pick(users) : users[id.length % users.length];
}

/** Starts and ends work. */
async function whole(stage: Stage, id: string, isTurn: boolean): Promise<void> {
  if (isTurn && stage.open.some((one) => one.isTurn && one.id === id)) return;
  const before = stage.open.length;
  await beginOne(stage, id, isTurn);
  if (stage.open.length > before) await endOne(stage, id, stage.open.length - 1);
}

/** Starts work. A turn may also start while another is in progress. It then waits, but already counts as a use. */
async function beginOne(stage: Stage, id: string, isTurn: boolean): Promise<void> {
  const { current, model, open, random } = stage;
  const user = userOf(stage, id);
  const start = isTurn ? current.turn.bind(current) : current.during.bind(current);
  if (!model.begin(id, user)) return assert.rejects(start(id, user, mustNotRun), denied);

  const isNext = !isTurn || !open.some((one) => one.isTurn && one.id === id);
  const [begun, finish] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const value = random.below(1_000);
  const key = `skill/k${random.below(3)}`;
  const ended = start(id, user, async () => {
    begun.resolve(undefined);
    await finish.promise;
    await stage.store.set(`memory/${id}`, key, value);
  });
  open.push({
    id,
    user,
    isTurn,
    async finish() {
      finish.resolve(undefined);
      await ended;
      model.set(id, key, value);
    },
  });
  await (isNext ? begun.promise : noted(stage));
}

/** Polls until a waiting turn is recorded, because there is no event for that. */
async function noted(stage: Stage): Promise<void> {
  for (let look = 0; look < 1_000; look++) {
    try {
      await mustBeEqual(stage);
      return;
    } catch {
      await new Promise((resolve) => setImmediate(resolve)); // the last assertion shows the difference
    }
  }
}

/** Ends some work that can end. Of a session's turns, this is only the first one. */
async function endOne({ open, model, random }: Stage, _id?: string, last?: number): Promise<void> {
  const isFirst = (one: Open, index: number): boolean =>
    !one.isTurn || open.findIndex((other) => other.isTurn && other.id === one.id) === index;
  const choice = open.map((_, index) => index).filter((index) => isFirst(open[index]!, index));
  const index = last ?? (choice.length === 0 ? undefined : random.pick(choice));
  const [one] = index === undefined ? [] : open.splice(index, 1);
  if (one === undefined) return;
  await one.finish();
  model.end(one.id, one.user);
}

async function mustBeEqual({ current, model, store }: Stage): Promise<void> {
  const { sessions, userSessions, totalSessions } = await current.stats();
  const stored = await Promise.all(ids.map((id) => store.entries(`memory/${id}`)));
  const values = Object.fromEntries(stored.map((map, index) => [`of ${ids[index] ?? ''}`, [...map]]));
  const facts = sessions.slice(1).map(({ ageMs: _age, idleMs: _idle, ...others }) => others);
  const expected = model.view();
  assert.deepEqual(
    { facts, userSessions, totalSessions, values },
    {
      facts: expected,
      userSessions: expected.length,
      totalSessions: expected.length + 1,
      values: Object.fromEntries(ids.map((id) => [`of ${id}`, model.values(id)])),
    },
  );
}
