import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  denied,
  mustNotRun,
  nothing,
  stageSessions as stage,
  useSessions as use,
} from '../../test/support/session-stage.ts';
import { tree } from '../../test/support/tree.ts';
import { isAgentError } from '../core/error.ts';
import { openSqliteStore } from '../stores/sqlite/store.ts';
import { makeRun, started, waiting } from '../testing/store/test-store.ts';

test('deleting returns whether there was a session; the default one is only emptied', async () => {
  const { sessions } = stage();
  for (const id of ['s', 'default']) await sessions.memory(id).set('k', 1);
  assert.equal(await sessions.has('none'), false);
  assert.equal(await sessions.delete('none'), false);
  assert.equal(await sessions.delete('s'), true);
  assert.equal(await sessions.delete('s'), false);
  assert.equal(await sessions.has('s'), false);
  assert.equal(await sessions.delete('default'), false);
  assert.equal(await sessions.memory('default').get('k'), undefined);
  assert.equal(await sessions.has('default'), true);
});

test('clearing empties a session that stays', async () => {
  const { sessions, store } = stage();
  await use(sessions, 's');
  for (const space of ['memory/s', 'turns/s']) await store.set(space, 'k', 1);
  await store.set('summaries', 's', 'said');
  await sessions.clear('s');
  await sessions.clear('none');
  assert.equal((await sessions.memory('s').entries()).size, 0);
  assert.equal((await store.entries('turns/s')).size, 0);
  assert.equal(await store.get('summaries', 's'), undefined);
  assert.deepEqual(await sessions.active(), ['s']);
});

test('reading a memory makes no session, writing to it does', async () => {
  const { sessions } = stage();
  const memory = sessions.memory('s');
  assert.equal(await memory.get('k'), undefined);
  await memory.delete('k');
  assert.equal((await memory.entries()).size, 0);
  assert.deepEqual(await sessions.active(), []);
  await memory.set('k', { a: 1 });
  await memory.set('gone', 1);
  await memory.delete('gone');
  assert.deepEqual(await sessions.active(), ['s']);
  assert.deepEqual([...(await memory.entries())], [['k', { a: 1 }]]);
});

test('stats say how old, idle, large and busy each session is', async () => {
  const config = { maxSessions: 7, sessionTTL: 8, cleanupInterval: 9 };
  const { sessions, clock } = stage(config);
  await sessions.memory('s').set('k', 1);
  clock.now += 500;
  await sessions.turn('s', undefined, async () => {
    assert.equal((await sessions.stats()).sessions[1]?.isExecuting, true);
  });
  clock.now += 70;
  const none = { isExecuting: false, isWaiting: false };
  assert.deepEqual(await sessions.stats(), {
    totalSessions: 2,
    userSessions: 1,
    config,
    sessions: [
      ...[{ sessionId: 'default', createdAt: 1_000, lastAccessTime: 1_000, ageMs: 570, idleMs: 570 }],
      ...[{ sessionId: 's', createdAt: 1_000, lastAccessTime: 1_500, ageMs: 570, idleMs: 70 }],
    ].map((facts, index) => ({ ...facts, size: index, ...none })),
  });
  assert.deepEqual((await stage().sessions.stats()).config, {
    maxSessions: 1_000,
    sessionTTL: 7_200_000,
    cleanupInterval: 300_000,
  });
});

test('numbers that are not amounts are refused by their names', () => {
  for (const name of ['maxSessions', 'sessionTTL', 'cleanupInterval'] as const)
    for (const value of [-1, 1.5, NaN, Infinity, 2 ** 60, '5' as never])
      assert.throws(
        () => stage({ [name]: value }),
        (thrown) =>
          isAgentError(thrown) && thrown.code === 'usage.bad-input' && thrown.message.includes(name),
      );
  assert.throws(() => stage({ cleanupInterval: 2 ** 31 }), isAgentError);
});

test('a session is found under its reported id, even if that is not the given one', async () => {
  const keyOf = (id: string): string => (id.length > 5 ? `${id.slice(0, 5)}#${id.length}` : id);
  const { sessions, store } = stage({}, { keyOf });
  await sessions.turn('a long one', 'ann', nothing);
  const activeId = 'a lon#10'; // a listing shows the id that was used, or in another process the stored one
  assert.deepEqual(await sessions.active(), ['a long one']);
  assert.ok((await sessions.stats()).sessions.some(({ sessionId }) => sessionId === 'a long one'));
  assert.deepEqual(await stage({}, { keyOf, store }).sessions.active(), [activeId]);
  await store.set('memory/a lon#10', 'skill/a lon#13', 1);
  for (const id of [activeId, 'a long one']) {
    assert.equal(await sessions.has(id), true);
    assert.equal(await sessions.memory(id).get('skill/a longer key!'), 1);
  }
  assert.equal(await sessions.delete(activeId), true);
  assert.equal(await sessions.has('a long one'), false);
});

test('a value that must not be kept is changed before it is', async () => {
  const { sessions } = stage({}, { clean: (value) => (value === 'secret' ? '[hidden]' : value) });
  await sessions.memory('s').set('k', 'secret');
  assert.equal(await sessions.memory('s').get('k'), '[hidden]');
});

test('in SQLite a restart loses nothing, whatever the ids are', async () => {
  using folder = tree();
  const ids = ['__proto__', 'constructor', 'a', 'a/', 'a/b', '😀', '\ud800', ' ', 'x'.repeat(10_000)];
  const before = await openSqliteStore(folder.at('s.db'));
  const first = stage({}, { store: before });
  for (const id of ids) {
    first.clock.now += 1;
    await first.sessions.turn(id, `user of ${id}`, nothing);
    await first.sessions.memory(id).set(id, id);
  }
  await makeRun(before, 'run', started({ session: 'a/b' }), waiting());
  const facts = await first.sessions.stats();
  await before.close();

  const store = await openSqliteStore(folder.at('s.db'));
  const { sessions, clock } = stage({ maxSessions: ids.length, sessionTTL: 100 }, { store });
  clock.now = first.clock.now;
  assert.deepEqual(await sessions.active(), ids);
  const again = await sessions.stats();
  const times = ({ sessionId, createdAt, lastAccessTime, size, isWaiting }: (typeof facts.sessions)[0]) =>
    [sessionId, createdAt, lastAccessTime, size, isWaiting] as const;
  assert.deepEqual(again.sessions.slice(1).map(times), facts.sessions.slice(1).map(times));
  await assert.rejects(sessions.turn('__proto__', 'somebody else', mustNotRun), denied);
  for (const id of ids) assert.deepEqual([...(await sessions.memory(id).entries())], [[id, id]]);
  await use(sessions, 'one more');
  assert.deepEqual(await sessions.active(), [...ids.slice(1), 'one more']);
  clock.now += 10_000;
  assert.equal(await sessions.cleanUp(), ids.length - 1);
  assert.deepEqual(await sessions.active(), ['a/b']);
  assert.deepEqual([...(await sessions.memory('a/b').entries()).keys()], ['a/b']);
  await store.close();
});
