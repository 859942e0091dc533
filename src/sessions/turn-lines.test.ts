import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { settled, until } from '../../test/support/deadline.ts';
import { turnLinesSpace } from '../core/session.ts';
import type { Store } from '../core/store.ts';
import { createMemoryStore } from '../stores/memory.ts';
import { createTurnLines } from './turn-lines.ts';

const silentMs = 400;

describe('the lines of several processes', () => {
  test('let one turn in at a time, in the order in which the tickets were stored', async () => {
    const store = createMemoryStore();
    const processes = [createTurnLines(store), createTurnLines(store), createTurnLines(store)];
    const entered: string[] = [];
    const log: string[] = [];
    const turns: Promise<void>[] = [];
    for (let round = 0; round < 5; round += 1)
      for (const [index, lines] of processes.entries()) {
        const name = `${round}.${index}`;
        const place = lines.enter('s');
        turns.push(
          place.turn.then(async () => {
            log.push(`${name} begins`);
            await new Promise((resolve) => setImmediate(resolve));
            log.push(`${name} ends`);
            await place.leave();
          }),
        );
        entered.push(name);
        const before = turns.length;
        await until(async () => (await ticketsIn(store)) >= before - log.length / 2 - 1);
      }
    await settled(Promise.all(turns));
    assert.deepEqual(
      log.filter((_, index) => index % 2 === 0).map((line) => line.split(' ')[0]),
      log.filter((_, index) => index % 2 === 1).map((line) => line.split(' ')[0]),
    );
    assert.deepEqual([...new Set(log.map((line) => line.split(' ')[0]))].sort(), [...entered].sort());
    assert.equal(await store.get(turnLinesSpace, 's'), undefined);
  });

  test('keep the order of requests, although another process leaves only later', async () => {
    const store = createMemoryStore();
    const [one, other] = [createTurnLines(store), createTurnLines(store)];
    const first = one.enter('s');
    await first.turn;
    const log: string[] = [];
    const isBefore = (name: string, later: string): boolean => log.indexOf(name) < log.indexOf(later);
    const enter = async (lines: typeof one, name: string): Promise<Promise<unknown>> => {
      const before = await ticketsIn(store);
      const place = lines.enter('s');
      const turn = place.turn.then(() => {
        log.push(name);
        return place.leave();
      });
      await until(async () => (await ticketsIn(store)) > before);
      return turn;
    };
    const turns: Promise<unknown>[] = [];
    for (const [lines, name] of [
      [other, 'a'],
      [one, 'b'],
      [one, 'c'],
      [other, 'd'],
      [one, 'e'],
    ] as const)
      turns.push((async () => await await enter(lines, name))());
    await until(async () => (await ticketsIn(store)) === 6);
    assert.deepEqual(log, []);
    await first.leave();
    await settled(Promise.all(turns));
    assert.equal(log.length, 5);
    assert.ok(isBefore('b', 'c') && isBefore('c', 'e') && isBefore('a', 'd'), log.join());
  });

  test('drop the tickets of a process that is silent, which learns that it lost its turn', async () => {
    const store = createMemoryStore();
    let isFrozen = false;
    const frozen = {
      get: (...given: Parameters<Store['get']>) => (isFrozen ? never() : store.get(...given)),
      swap: (...given: Parameters<Store['swap']>) => (isFrozen ? never() : store.swap(...given)),
    };
    const thaw = Promise.withResolvers<undefined>();
    const never = (): Promise<never> => thaw.promise.then(() => Promise.reject(new Error('no connection')));
    const dead = createTurnLines(frozen, silentMs);
    const place = dead.enter('s');
    const behind = dead.enter('s');
    await place.turn;
    await until(async () => (await ticketsIn(store)) === 2);
    isFrozen = true;
    const alive = createTurnLines(store, silentMs);
    const next = alive.enter('s');
    await settled(next.turn);
    assert.equal(place.lost.aborted, false);
    isFrozen = false;
    thaw.resolve(undefined);
    await until(() => place.lost.aborted);
    await next.leave();
    await settled(behind.turn);
    await Promise.all([place.leave(), behind.leave()]);
    assert.equal(await store.get(turnLinesSpace, 's'), undefined);
  });

  test('keep the turn of a process that is busy for long, and its place while it waits', async () => {
    const store = createMemoryStore();
    const [one, other, third] = [1, 2, 3].map(() => createTurnLines(store, silentMs)) as [
      ReturnType<typeof createTurnLines>,
      ReturnType<typeof createTurnLines>,
      ReturnType<typeof createTurnLines>,
    ];
    const first = one.enter('s');
    await first.turn;
    let log = '';
    const second = other.enter('s');
    void second.turn.then(() => (log += 'second '));
    await until(async () => (await ticketsIn(store)) === 2);
    const last = third.enter('s');
    void last.turn.then(() => (log += 'last '));
    await new Promise((resolve) => setTimeout(resolve, 2 * silentMs));
    assert.deepEqual([log, first.lost.aborted], ['', false]);
    await first.leave();
    await settled(second.turn);
    await second.leave();
    await settled(last.turn);
    assert.equal(log, 'second last ');
    await last.leave();
  });

  test('release a position whose signal aborts', async () => {
    const store = createMemoryStore();
    const [one, other] = [createTurnLines(store), createTurnLines(store)];
    const first = one.enter('s');
    await first.turn;
    const controller = new AbortController();
    const second = other.enter('s', controller.signal);
    const third = one.enter('s');
    await until(async () => (await ticketsIn(store)) === 3);
    controller.abort(new Error('enough'));
    await assert.rejects(settled(second.turn), /enough/);
    await until(async () => (await ticketsIn(store)) === 2);
    await assert.rejects(settled(other.enter('s', controller.signal).turn), /enough/);
    await first.leave();
    await settled(third.turn);
    await third.leave();
  });

  test('give up all tickets when they close', async () => {
    const store = createMemoryStore();
    const [one, other] = [createTurnLines(store), createTurnLines(store)];
    const first = one.enter('s');
    await first.turn;
    const waiting = one.enter('s');
    const next = other.enter('s');
    await one.close();
    await settled(next.turn);
    await assert.rejects(waiting.turn, { code: 'usage.bad-input' });
    assert.throws(() => one.enter('s'), { code: 'usage.bad-input' });
    await next.leave();
    assert.equal(await store.get(turnLinesSpace, 's'), undefined);
  });
});

test('a store that fails rejects the tickets that wait, and later ones work', async () => {
  const store = createMemoryStore();
  let isBroken = false;
  const failing = {
    ...store,
    swap: (...given: Parameters<Store['swap']>) =>
      isBroken ? Promise.reject(new Error('no connection')) : store.swap(...given),
  };
  const lines = createTurnLines(failing, silentMs);
  const first = lines.enter('s');
  await first.turn;
  isBroken = true;
  await assert.rejects(settled(lines.enter('s').turn), /no connection/);
  isBroken = false;
  const next = lines.enter('s');
  await first.leave();
  await settled(next.turn);
  await next.leave();
  assert.equal(await store.get(turnLinesSpace, 's'), undefined);
});

async function ticketsIn(store: Store): Promise<number> {
  const stored = (await store.get(turnLinesSpace, 's')) as { tickets?: readonly string[] } | undefined;
  return stored?.tickets?.length ?? 0;
}
