import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { settled } from '../../test/support/deadline.ts';
import { allOrAbort, createKeyedQueue, createLimiter, createYielder } from './async.ts';

describe('work that belongs together', () => {
  test('is aborted by the first failure, which is thrown when all of it has ended', async () => {
    const ended: string[] = [];
    const work = allOrAbort(new AbortController().signal, (signal) => [
      Promise.reject(new Error('first')),
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          ended.push('second');
          reject(new Error('second'));
        });
      }),
    ]);
    await assert.rejects(work, /first/);
    assert.deepEqual(ended, ['second']);
  });

  test('hears the signal from outside', async () => {
    const outside = new AbortController();
    const work = allOrAbort(outside.signal, (signal) => [
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      }),
    ]);
    outside.abort(new Error('enough'));
    await assert.rejects(work, /enough/);
  });

  test('that waits for a slot does not begin after a failure', async () => {
    const { run } = createLimiter(1);
    const begun: number[] = [];
    const work = allOrAbort(new AbortController().signal, (signal) =>
      [0, 1, 2].map((index) =>
        run(async () => {
          begun.push(index);
          if (index === 1) throw new Error('no');
        }, signal),
      ),
    );
    await assert.rejects(work, /no/);
    assert.deepEqual(begun, [0, 1]);
  });
});

describe('a limiter', () => {
  test('lets a limited number of work at once, the others in their order; a failure frees its slot', async () => {
    const limiter = createLimiter(2);
    const deferred = [0, 1, 2, 3].map(() => Promise.withResolvers<number>());
    const begun: number[] = [];
    const all = deferred.map(({ promise }, index) => limiter.run(() => (begun.push(index), promise)));
    await turn();
    assert.deepEqual(begun, [0, 1]);
    deferred[1]?.reject(new Error('no'));
    await assert.rejects(all[1] ?? Promise.resolve(), /no/);
    await turn();
    assert.deepEqual(begun, [0, 1, 2]);
    for (const [index, { resolve }] of deferred.entries()) resolve(index);
    assert.deepEqual(await Promise.all([all[0], all[2], all[3]]), [0, 2, 3]);
  });

  test('never starts work whose signal aborts before its turn, and keeps the order of the rest', async () => {
    const limiter = createLimiter(1);
    const controller = new AbortController();
    const first = await limiter.acquire();
    const begun: string[] = [];
    const run = (name: string, signal?: AbortSignal): Promise<unknown> =>
      limiter.run(async () => begun.push(name), signal);
    const [a, b, c] = [run('a'), run('b', controller.signal), run('c')];
    controller.abort(new Error('enough'));
    await assert.rejects(b, /enough/);
    await assert.rejects(run('d', controller.signal), /enough/);
    assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
    first[Symbol.dispose]();
    await settled(Promise.all([a, c]));
    assert.deepEqual(begun, ['a', 'c']);
  });

  test('frees the slot of work whose signal aborts as its turn comes', async () => {
    const limiter = createLimiter(1);
    const controller = new AbortController();
    const first = await limiter.acquire();
    const work = limiter.run(async () => assert.fail('it began'), controller.signal);
    first[Symbol.dispose]();
    controller.abort(new Error('enough'));
    await assert.rejects(work, /enough/);
    assert.equal(await settled(limiter.run(async () => 'free')), 'free');
  });

  test('lets those that return go first, and frees a slot once however often that is disposed of', async () => {
    const limiter = createLimiter(1);
    const first = await limiter.acquire();
    const begun: string[] = [];
    const enter = async (name: string, isReturning: boolean): Promise<Disposable> => {
      const slot = await limiter.acquire(undefined, isReturning);
      begun.push(name);
      return slot;
    };
    const [fresh, again] = [enter('fresh', false), enter('again', true)];
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    const slot = await settled(again);
    await turn();
    assert.deepEqual(begun, ['again']);
    slot[Symbol.dispose]();
    await settled(fresh);
  });
});

describe('a keyed queue', () => {
  test('runs work of one key in order, also after a failure, and other keys beside it', async () => {
    const queue = createKeyedQueue();
    const latch = Promise.withResolvers<undefined>();
    const order: string[] = [];
    const first = queue.run('a', async () => {
      await latch.promise;
      order.push('first');
      throw new Error('no');
    });
    const second = queue.run('a', async () => order.push('second'));
    await queue.run('b', async () => order.push('other'));
    latch.resolve(undefined);
    await assert.rejects(first, /no/);
    await settled(second);
    assert.deepEqual(order, ['other', 'first', 'second']);
  });

  test('has places that come up in order', async () => {
    const queue = createKeyedQueue();
    const order: string[] = [];
    const [first, second, other] = [queue.enter('a'), queue.enter('a'), queue.enter('b')];
    const noted = Promise.all([
      second.turn.then(() => order.push('second')),
      other.turn.then(() => order.push('other')),
    ]);
    await first.turn;
    await other.turn;
    order.push('first leaves');
    first.leave();
    await noted;
    assert.deepEqual(order, ['other', 'first leaves', 'second']);
  });

  test('lets no one pass those before a place that is left early', async () => {
    const queue = createKeyedQueue();
    const [first, second, third] = [queue.enter('a'), queue.enter('a'), queue.enter('a')];
    let isThirdIn = false;
    const entered = third.turn.then(() => (isThirdIn = true));
    second.leave();
    await turn();
    assert.equal(isThirdIn, false);
    first.leave();
    await entered;
  });

  test('that is empty again begins at once', async () => {
    const queue = createKeyedQueue();
    queue.enter('a').leave();
    await queue.enter('a').turn;
  });
});

test('a yielder lets the event loop turn when its time has passed, and only then', async (context) => {
  let now = 0;
  context.mock.method(performance, 'now', () => now);
  const next = createYielder(10);
  let turns = 0;
  setImmediate(() => turns++);
  now = 9;
  assert.equal(next(), undefined);
  now = 10;
  await next();
  assert.equal(turns, 1);
  assert.equal(next(), undefined);
});
