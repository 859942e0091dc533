import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createRhythm, type Rhythm } from './schedule.ts';

interface Beats {
  readonly rhythm: Rhythm;
  readonly log: string[];
  /** Advances the time in steps and yields to the event loop between them. */
  pass(ms: number): Promise<void>;
  isBlind: boolean;
  /** The promise that a sweep waits for. */
  sweeping: Promise<unknown>;
}

function beats(t: TestContext): Beats {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
  const log: string[] = [];
  const stage: Beats = {
    log,
    isBlind: false,
    sweeping: Promise.resolve(),
    async pass(ms) {
      for (let left = ms; left > 0; left -= 10) {
        t.mock.timers.tick(Math.min(10, left));
        await Promise.resolve();
      }
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    },
    rhythm: createRhythm({
      look: () => log.push('look'),
      isBlind: () => stage.isBlind,
      async sweep() {
        log.push('sweep');
        await stage.sweeping;
      },
    }),
  };
  return stage;
}

test('events that follow each other closely lead to one look when it is quiet', async (t) => {
  const { rhythm, log, pass } = beats(t);
  for (let event = 0; event < 5; event++) {
    rhythm.event(true);
    await pass(20);
  }
  assert.deepEqual(log, []);
  await pass(20);
  assert.deepEqual(log, ['look']);
  await rhythm.close();
});

test('constant change does not put a look off for longer than 400 ms', async (t) => {
  const { rhythm, log, pass } = beats(t);
  for (let event = 0; event < 45; event++) {
    rhythm.event(true);
    await pass(10);
  }
  assert.deepEqual(log, ['look']);
  await rhythm.close();
});

test('an event that does not matter leads to nothing', async (t) => {
  const { rhythm, log, pass } = beats(t);
  rhythm.event(false);
  await pass(5_000);
  assert.deepEqual(log, []);
  await rhythm.close();
});

test('a second without events after a change leads to a sweep', async (t) => {
  const { rhythm, log, pass } = beats(t);
  rhythm.event(true);
  await pass(900);
  rhythm.event(true);
  await pass(900);
  assert.deepEqual(log, ['look', 'look']);
  await pass(150);
  assert.deepEqual(log, ['look', 'look', 'sweep']);
  await rhythm.close();
});

test('more than 4,096 events lead to a sweep right after the look, whatever they were about', async (t) => {
  const { rhythm, log, pass } = beats(t);
  for (let event = 0; event < 4_096; event++) rhythm.event(event === 0);
  await pass(40);
  assert.deepEqual(log, ['look']);
  for (let event = 0; event < 4_097; event++) rhythm.event(false);
  await pass(40);
  assert.deepEqual(log, ['look', 'look', 'sweep']);
  await rhythm.close();
});

test('an event loop that stood still for more than 250 ms leads to a sweep', async (t) => {
  const { rhythm, log, pass } = beats(t);
  await pass(1_000);
  t.mock.timers.setTime(Date.now() + 200);
  await pass(1_000);
  assert.deepEqual(log, []);
  t.mock.timers.setTime(Date.now() + 260);
  await pass(1_000);
  assert.deepEqual(log, ['sweep']);
  await rhythm.close();
});

test('sweeps come every 30 s, every 5 s where events cannot be relied on', async (t) => {
  const stage = beats(t);
  await stage.pass(29_900);
  assert.deepEqual(stage.log, []);
  await stage.pass(300);
  assert.deepEqual(stage.log, ['sweep']);
  stage.isBlind = true;
  await stage.pass(10_500);
  assert.deepEqual(stage.log, ['sweep', 'sweep', 'sweep']);
  await stage.rhythm.close();
});

test('a sweep that is asked for while one runs starts after it, and once for all who asked', async (t) => {
  const stage = beats(t);
  const { promise, resolve } = Promise.withResolvers<undefined>();
  stage.sweeping = promise;
  const first = stage.rhythm.sweep();
  const others = [stage.rhythm.sweep(), stage.rhythm.sweep()];
  await stage.pass(100);
  assert.deepEqual(stage.log, ['sweep']);
  resolve(undefined);
  await Promise.all([first, ...others]);
  assert.deepEqual(stage.log, ['sweep', 'sweep']);
  await stage.rhythm.close();
});

test('a look can be asked for after some time', async (t) => {
  const { rhythm, log, pass } = beats(t);
  rhythm.again(50);
  await pass(60);
  assert.deepEqual(log, ['look']);
  await rhythm.close();
});

test('after closing nothing happens any more, and closing waits for a sweep that runs', async (t) => {
  const stage = beats(t);
  const { promise, resolve } = Promise.withResolvers<undefined>();
  stage.sweeping = promise;
  void stage.rhythm.sweep();
  stage.rhythm.event(true);
  let isClosed = false;
  const closing = stage.rhythm.close().then(() => (isClosed = true));
  stage.rhythm.event(true);
  await stage.pass(60_000);
  assert.deepEqual([stage.log, isClosed, stage.rhythm.isOpen], [['sweep'], false, false]);
  resolve(undefined);
  await closing;
  await stage.rhythm.sweep();
  assert.deepEqual(stage.log, ['sweep']);
});
