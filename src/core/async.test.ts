import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, done, settled } from '../../test/support/kernel.ts';
import { pause, timer } from './async.ts';

const longest = 2 ** 31 - 1; // milliseconds that a clock of the platform can wait

function never(): void {
  throw new Error('the timer rang');
}

describe('a timer', () => {
  test('of more than 24 days rings when they are over, and once', (context) => {
    let now = 0;
    context.mock.method(performance, 'now', () => now);
    context.mock.timers.enable({ apis: ['setTimeout'] });
    let rings = 0;
    using _timer = timer(2 * longest + 1_000, () => rings++);
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
    timer(24 * 3_600_000, never, AbortSignal.abort())[Symbol.dispose]();
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
