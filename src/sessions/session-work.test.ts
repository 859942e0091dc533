import assert from 'node:assert/strict';
import { test } from 'node:test';
import { denied, mustNotRun, nothing, stageSessions as stage } from '../../test/support/session-stage.ts';

test('the turns of a session happen one after the other, in the order in which they were asked for', async () => {
  const { sessions } = stage();
  const log: string[] = [];
  const turn = (name: string) =>
    sessions.turn('s', undefined, async () => {
      log.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      log.push(`${name} ends`);
    });
  await Promise.all(['a', 'b', 'c'].map(turn));
  assert.deepEqual(
    log,
    ['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]),
  );
});

test('different sessions work at the same time', async () => {
  const { sessions } = stage();
  const both = Promise.withResolvers<undefined>();
  let begun = 0;
  const meet = async (): Promise<void> => {
    if ((begun += 1) === 2) both.resolve(undefined);
    await both.promise;
  };
  await Promise.all([sessions.turn('a', undefined, meet), sessions.turn('b', undefined, meet)]);
});

test('a turn that fails fails alone', async () => {
  const { sessions } = stage();
  const failed = sessions.turn('s', undefined, () => Promise.reject(new Error('no')));
  const next = sessions.turn('s', undefined, async () => 'yes');
  await assert.rejects(failed, /no/);
  assert.equal(await next, 'yes');
});

test('work beside the turns does not wait for them', async () => {
  const { sessions } = stage();
  const held = Promise.withResolvers<undefined>();
  const turn = sessions.turn('s', undefined, () => held.promise);
  assert.equal(await sessions.during('s', undefined, async () => 'beside'), 'beside');
  held.resolve(undefined);
  await turn;
});

test('clearing and deleting wait for the turns before them, and turns after them begin again', async () => {
  const { sessions, clock } = stage();
  const held = Promise.withResolvers<undefined>();
  const first = sessions.turn('s', 'ann', () => held.promise);
  const isGone = sessions.delete('s');
  const second = sessions.turn('s', 'ann', async () => {
    assert.equal(await sessions.memory('s').get('k'), undefined);
    return (await sessions.stats()).sessions[1]?.createdAt;
  });
  await sessions.memory('s').set('k', 1);
  clock.now = 5_000;
  held.resolve(undefined);
  await first;
  assert.equal(await isGone, true);
  assert.equal(await second, 5_000);
});

test('work that continues beside a deletion leaves a session that can be forgotten again', async () => {
  const { sessions } = stage();
  const held = Promise.withResolvers<undefined>();
  const work = sessions.during('s', undefined, () => held.promise);
  await sessions.has('s');
  assert.equal(await sessions.delete('s'), true);
  held.resolve(undefined);
  await work;
  assert.deepEqual(await sessions.active(), ['s']);
});

test('a session belongs to its first user, and no other user may use it', async () => {
  const { sessions, begin } = stage();
  await sessions.turn('anns', 'ann', nothing);
  await sessions.turn('free', undefined, nothing);
  for (const some of [sessions, begin()]) {
    await some.turn('anns', 'ann', nothing);
    await some.turn('free', '', nothing);
    const others: readonly [string, string | undefined][] = [
      ['anns', 'bob'],
      ['anns', undefined],
      ['anns', ''],
      ['free', 'bob'],
    ];
    for (const [id, user] of others) {
      const before = await some.stats();
      await assert.rejects(some.turn(id, user, mustNotRun), denied);
      await assert.rejects(some.during(id, user, mustNotRun), denied);
      assert.deepEqual(await some.stats(), before);
    }
  }
});

test('another user is refused at once, not after the turns of the owner', async () => {
  const { sessions } = stage();
  const held = Promise.withResolvers<undefined>();
  const turn = sessions.turn('s', 'ann', () => held.promise);
  await assert.rejects(sessions.turn('s', 'bob', mustNotRun), denied);
  const next = sessions.turn('s', 'ann', async () => 'next');
  held.resolve(undefined);
  await turn;
  assert.equal(await next, 'next');
});

test('the default session is for everybody', async () => {
  const { sessions } = stage();
  for (const user of ['ann', 'bob', undefined]) await sessions.turn('default', user, nothing);
});

test('what the program puts into a session beforehand does not decide whose it is', async () => {
  const { sessions } = stage();
  await sessions.memory('s').set('language', 'ro');
  await sessions.turn('s', 'ann', nothing);
  await assert.rejects(sessions.turn('s', 'bob', mustNotRun), denied);
  await sessions.memory('s').set('language', 'en');
});

test('of two processes that begin a session at once, only one makes it', async () => {
  const { begin } = stage();
  const results = await Promise.allSettled([
    begin().turn('s', 'ann', nothing),
    begin().turn('s', 'bob', nothing),
  ]);
  assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
});

test('a session that was deleted is free for anybody', async () => {
  const { sessions } = stage();
  await sessions.turn('s', 'ann', nothing);
  await sessions.delete('s');
  await sessions.turn('s', 'bob', nothing);
  await assert.rejects(sessions.turn('s', 'ann', mustNotRun), denied);
});

test('a turn that asks for another one of its session is refused, through other sessions too, until it is over', async () => {
  const { sessions } = stage();
  const refused = { code: 'usage.bad-input' };
  const again = (): Promise<unknown> => sessions.turn('s', undefined, nothing);
  let later: Promise<unknown> = Promise.resolve();
  const over = Promise.withResolvers<undefined>();
  await sessions.turn('s', undefined, async () => {
    await assert.rejects(again(), refused);
    await assert.rejects(
      sessions.turn('t', undefined, () => again()),
      refused,
    );
    await sessions.clear('s');
    later = over.promise.then(again);
  });
  over.resolve(undefined);
  await later;
});
