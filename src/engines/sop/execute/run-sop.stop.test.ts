import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createVirtualClock } from '../../../../test/sop/virtual-clock.ts';
import { watchEvents } from '../../../../test/sop/watch-events.ts';
import { AgentError } from '../../../core/error.ts';
import type { CommandCall, SopCommand } from '../command.ts';
import { realClock } from './execute-plan.ts';
import { createSop, runSop } from './run-sop.ts';

const echo: SopCommand = { name: 'echo', run: ({ input }) => input };
const deaf: SopCommand = { name: 'deaf', run: () => new Promise(() => {}) };
const willing: SopCommand = {
  name: 'willing',
  run: ({ signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')));
    }),
};
/** A command that can no longer be stopped, and says so. */
const committed: SopCommand = {
  name: 'committed',
  run: ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('paid'))),
};
const commands = [echo, deaf, willing, committed];
const canceled = (origin: string, reason = 'The plan was cancelled.'): object => ({
  status: 'canceled',
  reason,
  origin,
});

describe('calling off', () => {
  test('stops what has not begun and aborts what runs, without waiting for time to pass', async () => {
    const clock = createVirtualClock();
    const watch = watchEvents();
    const controller = new AbortController();
    const script = '@a echo 1\n@b willing\n@c echo $b\n@d final_answer $c';
    const ending = runSop(script, commands, { signal: controller.signal, clock, onEvent: watch.onEvent });
    await watch.until('a ended success');
    controller.abort();
    const end = await clock.drive(ending);
    assert.deepEqual([end.status, end.error?.code, clock.now()], ['canceled', 'usage.cancelled', 0]);
    assert.deepEqual(end.variables, {
      a: { status: 'success', value: '1' },
      b: canceled('b'),
      c: canceled('c'),
      d: canceled('d'),
    });
    assert.deepEqual(
      end.state.records.map(({ variable }) => variable),
      ['a'],
    );
    assert.equal(watch.texts.at(-1), 'plan ended canceled');
  });

  test('keeps what succeeds all the same', async () => {
    const watch = watchEvents();
    const controller = new AbortController();
    const ending = runSop('@a committed\n@b echo $a', commands, { signal: controller.signal, ...watch });
    await watch.until('a started');
    controller.abort();
    const end = await ending;
    assert.deepEqual(end.variables, { a: { status: 'success', value: 'paid' }, b: canceled('b') });
    const later = await runSop('@a committed\n@b echo $a', commands, { resumeFrom: end.state });
    assert.deepEqual(
      [later.variables['b'], later.counts.commands],
      [{ status: 'success', value: 'paid' }, 1],
    );
  });

  test('waits for one second for a command that does not listen, and ignores it from then on', async () => {
    const clock = createVirtualClock();
    const late = Promise.withResolvers<string>();
    const watch = watchEvents();
    const sop = createSop([...commands, { name: 'late', run: () => late.promise }], {
      clock,
      onEvent: watch.onEvent,
    });
    const ending = sop.run('@a deaf\n@l late\n@b echo $a');
    await watch.until('l started');
    sop.cancel('enough');
    const end = await clock.drive(ending);
    assert.deepEqual([end.status, end.error?.message, clock.now()], ['canceled', 'enough', 1000]);
    assert.deepEqual(end.variables, {
      a: canceled('a', 'enough'),
      l: canceled('l', 'enough'),
      b: canceled('b', 'enough'),
    });
    const eventCount = watch.texts.length;
    late.resolve('too late');
    await late.promise;
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([watch.texts.length, sop.state.records], [eventCount, []]);
  });

  test('ends what runs for each of a list, and leaves what had ended', async () => {
    const watch = watchEvents();
    const controller = new AbortController();
    const some: SopCommand = { name: 'some', run: (call) => (call.index === 0 ? 'done' : willing.run(call)) };
    const options = { signal: controller.signal, concurrency: 2, onEvent: watch.onEvent };
    const ending = runSop('@a each $input some', [some], { ...options, input: [1, 2, 3, 4] });
    await watch.until('a[2] started');
    controller.abort();
    await ending;
    assert.deepEqual(watch.texts.slice(-5), [
      'a[2] started',
      'a[1] ended canceled',
      'a[2] ended canceled',
      'a ended canceled',
      'plan ended canceled',
    ]);
  });

  test('before it began runs nothing', async () => {
    const end = await runSop('@a echo 1', commands, { signal: AbortSignal.abort() });
    assert.deepEqual([end.status, end.counts.commands], ['canceled', 0]);
  });

  test('from a listener is heard at once', async () => {
    for (const type of ['plan.started', 'step.started', 'step.ended']) {
      const controller = new AbortController();
      const end = await runSop('@a echo 1\n@b echo $a\n@c echo $b', commands, {
        signal: controller.signal,
        onEvent: (event) => {
          if (event.type === type) controller.abort();
        },
      });
      assert.equal(end.status, 'canceled', type);
      assert.equal(end.counts.commands, type === 'plan.started' ? 0 : 1, type);
    }
  });

  test('after the end changes nothing', async () => {
    const controller = new AbortController();
    const end = await runSop('@a echo 1', commands, { signal: controller.signal });
    controller.abort();
    assert.equal(end.status, 'done');
  });
});

describe('limits', () => {
  test('of commands end the plan, abort what runs and leave what is done', async () => {
    const script = '@w willing\n@a echo 1\n@b echo $a\n@c echo $b\n@d echo $c';
    const end = await runSop(script, commands, { limits: { commands: 3 } });
    assert.deepEqual([end.status, end.error?.code, end.counts.commands], ['failed', 'limit.calls', 3]);
    assert.deepEqual(
      Object.values(end.variables).map(({ status }) => status),
      ['canceled', 'success', 'success', 'canceled', 'canceled'],
    );
    const later = await runSop(script.replace('willing', 'echo'), commands, { resumeFrom: end.state });
    assert.deepEqual([later.status, later.counts.commands], ['done', 3]);
  });

  test('of failures count by command', async () => {
    const fail: SopCommand = { name: 'fail', run: () => Promise.reject(new Error('no')) };
    const other = { ...fail, name: 'other' };
    const script = '@l echo $input\n@o other\n@a each $l fail\n@w willing';
    const options = { input: [1, 2, 3, 4, 5], concurrency: 2, limits: { failures: 3 } };
    const end = await runSop(script, [...commands, fail, other], options);
    assert.deepEqual([end.status, end.error?.code], ['failed', 'limit.errors']);
    assert.deepEqual(end.counts.failures, { other: 1, fail: 4 });
    assert.equal(end.variables['o']?.status, 'fail');
    const enough = await runSop('@a each $input fail', [fail], { ...options, limits: { failures: 5 } });
    assert.equal(enough.error?.message, 'item 0: no');
  });

  test('of time end it by the clock', async () => {
    const clock = createVirtualClock();
    const end = await clock.drive(
      runSop('@a willing\n@b echo $a', commands, { clock, limits: { timeMs: 5_000 } }),
    );
    assert.deepEqual([end.status, end.error?.code, clock.now()], ['failed', 'limit.time', 5_000]);
  });

  test('are those of one plan: the next one counts again', async () => {
    const sop = createSop(commands, { limits: { commands: 1 } });
    assert.equal((await sop.run('@a echo 1')).status, 'done');
    assert.equal((await sop.run('@b echo 2')).status, 'done');
  });

  test('with which no plan could run, or end, are refused', () => {
    for (const options of [
      { concurrency: 0 },
      { concurrency: NaN },
      { limits: { commands: NaN } },
      { limits: { timeMs: -1 } },
    ])
      assert.throws(() => createSop(commands, options), { code: 'usage.bad-input' });
  });
});

describe('a monitor', () => {
  test('sees every execution, with what was counted', async () => {
    const events: string[] = [];
    const record = (what: string, { variable }: CommandCall, count: number): void =>
      void events.push(`${what} ${variable} ${count}`);
    await runSop('@a echo 1\n@b echo $a', commands, {
      monitor: {
        before: async (call, { commands: count }) => record('before', call, count),
        after: async (call, value, { commands: count }) => record(value.status, call, count),
      },
    });
    assert.deepEqual(events, ['before a 1', 'success a 1', 'before b 2', 'success b 2']);
  });

  test('that throws before an execution ends the plan without it', async () => {
    const before = ({ variable }: CommandCall): void => {
      if (variable === 'b') throw new AgentError('limit.money', 'Too expensive.');
    };
    const watch = watchEvents();
    const end = await runSop('@w willing\n@a echo 1\n@b echo $a', commands, {
      monitor: { before },
      ...watch,
    });
    assert.deepEqual([end.status, end.error?.code], ['failed', 'limit.money']);
    assert.ok(!watch.texts.includes('b started'));
    assert.equal(end.variables['w']?.status, 'canceled');
  });

  test('that throws after one ends the plan, and what was done is kept', async () => {
    const after = async (): Promise<void> => Promise.reject(new Error('That is enough.'));
    const end = await runSop('@a echo 1\n@b echo $a', commands, { monitor: { after } });
    assert.deepEqual(
      [end.status, end.error],
      ['failed', { code: 'skill.failed', message: 'That is enough.' }],
    );
    assert.deepEqual(end.variables['a'], { status: 'success', value: '1' });
    assert.equal(end.state.records.length, 1);
  });
});

test('a listener that throws is reported, and what runs is aborted', async () => {
  for (const text of ['plan started', 'a started', 'a ended success', 'b ended undefined', 'plan ended']) {
    const signals: AbortSignal[] = [];
    const hold: SopCommand = {
      name: 'hold',
      run: ({ signal }) => (signals.push(signal), new Promise(() => {})),
    };
    const watch = watchEvents();
    const onEvent = (event: Parameters<typeof watch.onEvent>[0]): void => {
      watch.onEvent(event);
      if (watch.texts.at(-1)?.startsWith(text) === true) throw new Error('a bug of the host');
    };
    const script = text === 'plan ended' ? '@a echo 1' : '@h hold\n@a echo 1\n@x echo $input.y\n@b echo $x';
    await assert.rejects(
      runSop(script, [...commands, hold], { onEvent, input: {} }),
      /a bug of the host/,
      text,
    );
    assert.ok(
      signals.every(({ aborted }) => aborted),
      text,
    );
  }
});

describe('the time of the machine', () => {
  test('passes', async () => {
    const before = realClock.now();
    await realClock.wait(5, new AbortController().signal);
    assert.ok(realClock.now() - before >= 4);
  });

  test('is not waited for when that is cancelled', async () => {
    const controller = new AbortController();
    const wait = realClock.wait(2 ** 40, controller.signal);
    controller.abort();
    await wait;
    await realClock.wait(60_000, controller.signal);
  });
});
