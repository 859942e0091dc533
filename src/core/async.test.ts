import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { agentWith, done, settled } from '../../test/support/kernel.ts';
import { deadline, onAbort, pause, settlesBefore, settlesWithin, timer, untilAborted } from './async.ts';

const longest = 2 ** 31 - 1; // the longest delay of a timer, in milliseconds
const day = 24 * 3_600_000;

function never(): void {
  throw new Error('the timer rang');
}

const unsettled = new Promise<never>(() => undefined);

function listenersOf(signal: AbortSignal): number {
  return getEventListeners(signal, 'abort').length;
}

describe('a timer', () => {
  test('of more than 24 days rings when they are over, and once', (context) => {
    let now = 0;
    context.mock.method(performance, 'now', () => now);
    context.mock.timers.enable({ apis: ['setTimeout'] });
    let rings = 0;
    const { signal } = new AbortController();
    using _timer = timer(2 * longest + 1_000, () => rings++, signal);
    for (const [passes, rung] of [
      [1, 0],
      [longest, 0],
      [longest, 0],
      [1_000, 1],
      [longest, 1],
    ] as const) {
      now += passes;
      context.mock.timers.tick(passes);
      assert.equal(rings, rung, `after ${now} ms`);
    }
    assert.equal(listenersOf(signal), 0);
  });

  test('rings no more once its scope has ended or its signal is aborted', (context) => {
    let now = 0;
    context.mock.method(performance, 'now', () => now);
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const controller = new AbortController();
    timer(2 * longest, never)[Symbol.dispose]();
    const other = timer(2 * longest, never, controller.signal);
    now += longest;
    context.mock.timers.tick(longest); // set again
    controller.abort();
    now += 2 * longest;
    context.mock.timers.tick(2 * longest);
    other[Symbol.dispose]();
  });

  test('whose signal was aborted before is none, and keeps no process alive', (context) => {
    const set = context.mock.method(globalThis, 'setTimeout');
    timer(day, never, AbortSignal.abort())[Symbol.dispose]();
    assert.equal(set.mock.callCount(), 0);
  });
});

test('a limit of ten million seconds does not end a run at once', async () => {
  await using agent = agentWith(
    { top: async (_input, scope) => done('in time', await scope.step('s', () => pause(30).then(() => 1))) },
    { limits: { runSeconds: 10_000_000, callSeconds: 10_000_000 } },
  );
  assert.equal((await settled(agent.run({ skill: 'top' }).result)).text, 'in time');
});

describe('a listener for an abort', () => {
  test('is called once, and not after its scope has ended nor for an abort before it', () => {
    const controller = new AbortController();
    let calls = 0;
    using _first = onAbort(controller.signal, () => calls++);
    onAbort(controller.signal, never)[Symbol.dispose]();
    controller.abort();
    onAbort(controller.signal, never);
    assert.equal(calls, 1);
  });
});

describe('a pause', () => {
  test('ends with its time or its signal, and leaves no listener', async () => {
    const controller = new AbortController();
    await pause(1, controller.signal);
    const long = pause(day, controller.signal);
    controller.abort();
    await settled(long);
    await settled(pause(day, controller.signal));
    assert.equal(listenersOf(controller.signal), 0);
  });
});

describe('a deadline', () => {
  test('aborts with its reason when its time is over', async () => {
    using late = deadline(1, new Error('too late'));
    await settled(pause(day, late.signal));
    assert.match(String(late.signal.reason), /too late/);
  });

  test('aborts with its parent, before or meanwhile, and with the reason of that', () => {
    using early = deadline(day, new Error('too late'), AbortSignal.abort(new Error('early')));
    assert.match(String(early.signal.reason), /early/);
    const parent = new AbortController();
    using late = deadline(day, new Error('too late'), parent.signal);
    assert.equal(late.signal.aborted, false);
    parent.abort(new Error('meanwhile'));
    assert.match(String(late.signal.reason), /meanwhile/);
  });

  test('whose scope has ended never aborts, and leaves no listener', () => {
    const parent = new AbortController();
    const late = deadline(day, undefined, parent.signal);
    late[Symbol.dispose]();
    assert.equal(listenersOf(parent.signal), 0);
    parent.abort();
    assert.equal(late.signal.aborted, false);
  });
});

describe('work that is waited for with a limit', () => {
  test('settles in time or does not', async () => {
    const { signal } = new AbortController();
    assert.equal(await settlesBefore(signal, Promise.resolve(1)), true);
    assert.equal(await settlesWithin(day, Promise.resolve(1), signal), true);
    assert.equal(await settlesWithin(1, unsettled), false);
    assert.equal(listenersOf(signal), 0);
  });

  test('is left when the signal aborts, before or meanwhile', async () => {
    const controller = new AbortController();
    const waits = [
      settlesBefore(controller.signal, unsettled),
      settlesWithin(day, unsettled, controller.signal),
    ];
    controller.abort();
    assert.deepEqual(await settled(Promise.all(waits)), [false, false]);
    assert.equal(await settlesBefore(controller.signal, Promise.resolve(1)), false);
    assert.equal(await settled(settlesWithin(day, unsettled, controller.signal)), false);
  });

  test('rejects as the work does, and a rejection that comes too late hurts no one', async () => {
    await assert.rejects(settlesWithin(day, Promise.reject(new Error('no'))), /no/);
    const work = Promise.withResolvers<never>();
    assert.equal(await settlesBefore(AbortSignal.abort(), work.promise), false);
    work.reject(new Error('nobody waits'));
    await turn(); // an unhandled rejection would fail this test
  });
});

describe('work until a signal', () => {
  test('gives its outcome', async () => {
    const { signal } = new AbortController();
    assert.equal(await untilAborted(signal, Promise.resolve(1)), 1);
    await assert.rejects(untilAborted(signal, Promise.reject(new Error('no'))), /no/);
    assert.equal(listenersOf(signal), 0);
  });

  test('is left when the signal is aborted, before or meanwhile, although it never ends', async () => {
    await assert.rejects(untilAborted(AbortSignal.abort(new Error('early')), unsettled), /early/);
    const controller = new AbortController();
    const left = untilAborted(controller.signal, unsettled);
    controller.abort(new Error('late'));
    await assert.rejects(left, /late/);
    assert.equal(listenersOf(controller.signal), 0);
  });

  test('hands over what comes too late, and ignores a late rejection', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    const [value, failure] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    const late: string[] = [];
    for (const { promise } of [value, failure])
      await assert.rejects(
        untilAborted(signal, promise, (result) => late.push(result)),
        /enough/,
      );
    value.resolve('a value');
    failure.reject(new Error('nobody waits'));
    await turn(); // an unhandled rejection would fail this test
    assert.deepEqual(late, ['a value']);
  });
});
