import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  denied,
  mustNotRun,
  nothing,
  stageSessions as stage,
  useSessions as use,
} from '../../test/support/session-stage.ts';
import type { Store } from '../core/store.ts';
import { createMemoryStore } from '../stores/memory.ts';
import { ended, makeRun, started, waiting } from '../testing/store/test-store.ts';

test('exactly the maximum stays; one more takes the place of the one used least recently', async () => {
  const forgotten: string[] = [];
  const onForget = async (id: string): Promise<void> => void forgotten.push(id);
  const { sessions } = stage({ maxSessions: 3 }, { onForget });
  await use(sessions, 'a', 'b', 'default', 'c', 'a');
  assert.equal(await sessions.cleanUp(), 0);
  assert.deepEqual(await sessions.active(), ['b', 'c', 'a']);
  await use(sessions, 'd', 'default');
  assert.deepEqual(await sessions.active(), ['c', 'a', 'd']);
  assert.deepEqual(forgotten, ['b']);
});

test('a session expires after its time to live, not at its end', async () => {
  const { sessions, clock } = stage({ sessionTTL: 100 });
  await use(sessions, 'a');
  clock.now += 50;
  await use(sessions, 'b', 'default');
  clock.now += 50;
  assert.equal(await sessions.cleanUp(), 0);
  clock.now += 1;
  assert.equal(await sessions.cleanUp(), 1);
  assert.deepEqual([await sessions.active(), await sessions.has('a')], [['b'], false]);
  clock.now += 1e9;
  assert.equal(await sessions.cleanUp(), 1);
  assert.equal(await sessions.has('default'), true);
});

test('0 keeps sessions for ever, and as many as there are', async () => {
  const { sessions, clock } = stage({ maxSessions: 0, sessionTTL: 0 });
  const ids = Array.from({ length: 1_200 }, (_, index) => `s${index}`);
  await use(sessions, ...ids);
  clock.now += 1e12;
  assert.equal(await sessions.cleanUp(), 0);
  assert.equal((await sessions.active()).length, ids.length);
});

test('a session in which something executes is never forgotten, and a new one is admitted all the same', async () => {
  const { sessions, clock } = stage({ maxSessions: 1, sessionTTL: 100 });
  const held = Promise.withResolvers<undefined>();
  const tasks = [sessions.turn('a', undefined, () => held.promise)];
  tasks.push(sessions.during('b', undefined, () => held.promise));
  await sessions.has('a');
  clock.now += 1_000;
  assert.equal(await sessions.cleanUp(), 0);
  assert.deepEqual(await sessions.active(), ['a', 'b']);
  held.resolve(undefined);
  await Promise.all(tasks);
  assert.equal((await sessions.active()).length, 1);
});

test('the session that was used last is not evicted while others are executing', async () => {
  const { sessions, store } = stage({ maxSessions: 2 });
  const held = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()] as const;
  const [first, second] = ['a', 'b'].map((id, index) =>
    sessions.turn(id, undefined, () => held[index]!.promise),
  );
  await sessions.memory('c').set('k', 1);
  await use(sessions, 'd');
  await sessions.memory('d').set('k', 2);
  assert.equal(await sessions.memory('d').get('k'), 2);
  assert.equal(await sessions.memory('c').get('k'), 1, 'only two sessions were used since');
  for (const { resolve } of held) resolve(undefined);
  await Promise.all([first, second]);
  assert.deepEqual(await sessions.active(), ['d', 'c'], 'the end of a turn is not a use');
  assert.equal((await store.entries('memory/c')).size, 1);
});

test('the end of a turn does not evict a session that was used after its beginning', async () => {
  const { sessions, clock, begin } = stage({ maxSessions: 2, sessionTTL: 100 });
  await use(sessions, 'before');
  clock.now += 1;
  await sessions.turn('long', undefined, async () => {
    clock.now += 1;
    await use(sessions, 'short');
    clock.now += 100;
  });
  assert.deepEqual(await sessions.active(), ['long', 'short']);
  assert.deepEqual(await begin().active(), ['long', 'short'], 'in another process too');
  clock.now += 1;
  assert.equal(await sessions.cleanUp(), 1, 'a turn that ended a moment ago is not idle');
  assert.deepEqual(await sessions.active(), ['long']);
  await use(sessions, 'new', 'newer');
  assert.deepEqual(await begin().active(), ['new', 'newer']);
});

test('reading a value counts as a use, and looking at the list of sessions does not', async () => {
  const { sessions, clock } = stage({ maxSessions: 2, sessionTTL: 100 });
  for (const id of ['a', 'b']) await sessions.memory(id).set('k', 1);
  await sessions.memory('a').get('k');
  await sessions.stats();
  await sessions.has('b');
  await use(sessions, 'c');
  assert.deepEqual(await sessions.active(), ['a', 'c']);
  for (const read of ['has', 'get', 'entries'] as const) {
    clock.now += 60;
    await sessions.memory('a')[read]('k');
  }
  await sessions.cleanUp();
  assert.deepEqual(await sessions.active(), ['a']);
});

test('work of a guest keeps its place among the turns and makes no session', async () => {
  const closed: string[] = [];
  const onForget = async (id: string): Promise<void> => void closed.push(id);
  const { sessions } = stage({}, { onForget });
  const order: string[] = [];
  const step = (name: string) => async () => void order.push(name);
  await Promise.all([sessions.visit('s', 'ann', step('first')), sessions.visit('s', 'ann', step('second'))]);
  assert.deepEqual([order, await sessions.active()], [['first', 'second'], []]);
  assert.ok(closed.includes('s'), 'what the work left open is closed');
  await sessions.turn('s', 'ann', nothing);
  await assert.rejects(sessions.visit('s', 'bob', mustNotRun), denied);
  await sessions.visit('s', 'ann', step('third'));
  assert.deepEqual([order.at(-1), await sessions.active()], ['third', ['s']]);
});

test('work of a guest waits for turns of other processes, and they wait for it', async () => {
  const { sessions, store, begin } = stage();
  const other = begin();
  const log: string[] = [];
  const held = Promise.withResolvers<undefined>();
  const begun = Promise.withResolvers<undefined>();
  const hold = async (): Promise<void> => {
    begun.resolve(undefined);
    await held.promise;
    log.push('turn');
  };
  const turn = sessions.turn('s', 'ann', hold);
  await begun.promise;
  const aborted = AbortSignal.abort(new Error('withdrawn'));
  await assert.rejects(other.visit('s', 'ann', mustNotRun, aborted), /withdrawn/);
  const visit = other.visit('s', 'ann', async (lost) => void log.push(`visit ${String(lost.aborted)}`));
  held.resolve(undefined);
  await Promise.all([turn, visit]);
  await sessions.delete('s');
  await other.visit('s', 'ann', async () => {
    for (const key of (await store.entries('turn-lines')).keys()) log.push(`line ${key}`);
  });
  assert.deepEqual(log, ['turn', 'visit false', 'line s']);
  assert.deepEqual([(await store.entries('turn-lines')).size, await sessions.active()], [0, []]);
});

test('a session that waits for a person is never forgotten, and is when it waits no more', async () => {
  const { sessions, store, clock, begin } = stage({ maxSessions: 1, sessionTTL: 100 });
  let epoch = '';
  await sessions.turn('asks', undefined, async () => {
    epoch = await makeRun(store, 'run', started({ session: 'asks' }), waiting());
  });
  await use(sessions, 'b', 'c');
  assert.deepEqual(await sessions.active(), ['asks', 'c']);
  await sessions.delete('c');
  clock.now += 1_000;
  for (const some of [sessions, begin()]) assert.equal(await some.cleanUp(), 0);
  assert.deepEqual((await sessions.stats()).sessions[1]?.isWaiting, true);
  await store.append('run', epoch, [ended()]);
  assert.equal(await sessions.cleanUp(), 1);
});

test('a session in which another process works, or which it used meanwhile, is never forgotten', async () => {
  const { sessions, store, clock, begin } = stage({ sessionTTL: 100 });
  await use(sessions, 'runs', 'used');
  const epoch = await makeRun(store, 'run', started({ session: 'runs' }));
  clock.now += 200;
  const other = begin();
  await other.memory('used').set('k', 1);
  assert.equal(await sessions.cleanUp(), 0);
  assert.equal(await other.memory('used').get('k'), 1);
  await store.append('run', epoch, [ended()]);
  assert.equal(await sessions.cleanUp(), 1);
  assert.deepEqual(await other.active(), ['used']);
});

test('a session that another process has used since counts as used when there are too many', async () => {
  const { sessions, clock, begin } = stage({ maxSessions: 2 });
  await use(sessions, 'a', 'b');
  clock.now += 1;
  await use(begin(), 'a');
  clock.now += 1;
  await use(sessions, 'c');
  assert.deepEqual(await sessions.active(), ['a', 'c']);
});

test('the sessions of a process that is gone are forgotten by the others', async () => {
  const { sessions, clock, begin } = stage({ sessionTTL: 100 });
  await use(sessions, 'own');
  await use(begin(), 'other');
  clock.now += 101;
  assert.equal(await sessions.cleanUp(), 2);
});

test('a session that is used while it is looked at stays', async () => {
  const memory = createMemoryStore();
  const [asked, answer, done] = Array.from({ length: 3 }, () => Promise.withResolvers<undefined>());
  const runs: Store['runs'] = async (query) => {
    if (query?.status?.includes('running') !== true) return memory.runs(query);
    asked?.resolve(undefined);
    await answer?.promise;
    return [];
  };
  const { sessions, clock } = stage({ sessionTTL: 100 }, { store: { ...memory, runs } });
  await sessions.memory('s').set('k', 1);
  clock.now += 101;
  const cleaned = sessions.cleanUp();
  await asked?.promise;
  const work = sessions.turn('s', undefined, () => done?.promise ?? Promise.resolve());
  answer?.resolve(undefined);
  assert.equal(await cleaned, 0);
  assert.equal(await sessions.memory('s').get('k'), 1);
  done?.resolve(undefined);
  await work;
});

test('a turn that starts while a session is being removed creates a new one', async () => {
  const memory = createMemoryStore();
  const [asked, answer] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const clear = async (space: string): Promise<void> => {
    asked.resolve(undefined);
    await answer.promise;
    await memory.clear(space);
  };
  const { sessions, clock } = stage({ sessionTTL: 100 }, { store: { ...memory, clear } });
  await sessions.turn('s', 'ann', () => memory.set('memory/s', 'k', 1));
  clock.now += 101;
  const cleaned = sessions.cleanUp();
  await asked.promise;
  const work = sessions.turn('s', 'bob', () => sessions.memory('s').get('k'));
  answer.resolve(undefined);
  assert.equal(await work, undefined);
  assert.equal(await cleaned, 1);
  assert.deepEqual(await sessions.active(), ['s']);
});

test('with a session go its memory, turns and summary, and those of no other', async () => {
  const { sessions, store } = stage({ maxSessions: 1 });
  const spaces = ['memory/a', 'turns/a', 'memory/a/b', 'turns/ab'];
  await use(sessions, 'a');
  for (const space of spaces) await store.set(space, 'k', 1);
  for (const id of ['a', 'b']) await store.set('summaries', id, 'said');
  await use(sessions, 'b');
  const left = await Promise.all(spaces.map((space) => store.get(space, 'k')));
  assert.deepEqual(left, [undefined, undefined, 1, 1]);
  assert.deepEqual([...(await store.entries('summaries')).keys()], ['b']);
  assert.deepEqual([...(await store.entries('sessions')).keys()], ['b']);
});

test('what cannot be closed or forgotten does not fail the work of others', async () => {
  const memory = createMemoryStore();
  let isBroken = true;
  const clear = (space: string): Promise<void> =>
    isBroken ? Promise.reject(new Error('no connection')) : memory.clear(space);
  const onForget = (): Promise<void> => Promise.reject(new Error('stuck'));
  const { sessions } = stage({ maxSessions: 1 }, { store: { ...memory, clear }, onForget });
  await use(sessions, 'a', 'b');
  assert.deepEqual(await sessions.active(), ['a', 'b']);
  await assert.rejects(sessions.cleanUp(), /no connection/);
  isBroken = false;
  await use(sessions, 'b');
  assert.deepEqual(await sessions.active(), ['b']);
});

test('the clean-up happens by itself while sessions are used, until it is stopped', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const forgotten: string[] = [];
  const notified = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const onForget = async (id: string): Promise<void> => {
    notified[forgotten.push(id) - 1]?.resolve(undefined);
  };
  const { sessions, clock } = stage({ sessionTTL: 100, cleanupInterval: 10 }, { onForget });
  for (const [index, id] of ['a', 'b'].entries()) {
    await use(sessions, id);
    clock.now += 101;
    t.mock.timers.tick(10);
    await notified[index]?.promise;
  }
  sessions.stopCleanup();
  await use(sessions, 'c');
  clock.now += 101;
  t.mock.timers.tick(1_000);
  assert.equal(await sessions.has('c'), true);
  assert.deepEqual(forgotten, ['a', 'b']);
});

test('a clean-up that was stopped before anything was used does not begin', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { sessions, clock } = stage({ sessionTTL: 100, cleanupInterval: 10 });
  sessions.stopCleanup();
  await use(sessions, 's');
  clock.now += 101;
  t.mock.timers.tick(10);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(await sessions.has('s'), true);
});
