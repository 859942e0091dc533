import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createVirtualClock, type VirtualClock } from '../../../../test/sop/virtual-clock.ts';
import { watchEvents } from '../../../../test/sop/watch-events.ts';
import type { SopCommand } from '../command.ts';
import type { SopEnd, SopOptions } from '../plan-run.ts';
import { runSop } from './run-sop.ts';

test('a step starts the moment its needs are there, whatever its siblings do', async () => {
  const events = await timeline(
    '@slow take 100\n@quick take 1\n@next take 2 $quick\n@both take 1 $next $slow',
  );
  assert.deepEqual(events, [
    '0 slow started',
    '0 quick started',
    '1 quick ended success',
    '1 next started',
    '3 next ended success',
    '100 slow ended success',
    '100 both started',
    '101 both ended success',
  ]);
});

test('what is ready starts in the order of the plan', async () => {
  const script = '@d take 1 $a\n@c take 1 $b\n@b take 1\n@a take 1';
  const starts = startsIn(await timeline(script, { concurrency: 1 }));
  assert.deepEqual(starts, ['0 b', '1 c', '2 a', '3 d']);
});

test('no more run at the same time than are allowed, eight unless something else is said', async () => {
  const script = Array.from({ length: 10 }, (_, index) => `@s${index} take 1`).join('\n');
  const starts = async (options: SopOptions): Promise<number> =>
    startsIn(await timeline(script, options)).filter((text) => text.startsWith('0 ')).length;
  assert.deepEqual(
    [await starts({}), await starts({ concurrency: 3 }), await starts({ concurrency: Infinity })],
    [8, 3, 10],
  );
});

test('items take places of their own, in their order', async () => {
  const starts = startsIn(
    await timeline('@all each $input take\n@x take 1', { input: [3, 1, 1], concurrency: 2 }),
  );
  assert.deepEqual(starts, ['0 all[0]', '0 all[1]', '1 all[2]', '2 x']);
});

test('commands that must not run beside each other run one by one, and others beside them', async () => {
  const script = '@a alone 2\n@b alone 2\n@c take 3\n@d each $input alone';
  const starts = startsIn(await timeline(script, { input: [1, 1] }));
  assert.deepEqual(starts, ['0 a', '0 c', '2 b', '4 d[0]', '5 d[1]']);
});

test('a sequential step that waits takes no place from others', async () => {
  const starts = startsIn(await timeline('@a alone 5\n@b alone 5\n@c take 1', { concurrency: 2 }));
  assert.deepEqual(starts, ['0 a', '0 c', '5 b']);
});

test('a command that says that it waits for a person takes no place and holds up nothing', async () => {
  const order: string[] = [];
  const answer = Promise.withResolvers<string>();
  const commands: readonly SopCommand[] = [
    {
      name: 'ask',
      isSequential: true,
      run({ waits }) {
        waits();
        waits(); // once is enough
        return answer.promise;
      },
    },
    { name: 'do', isSequential: true, run: ({ variable }) => void order.push(variable) },
    { name: 'answer', run: () => (answer.resolve('yes'), null) },
  ];
  const script = '@q ask\n@a do\n@b do\n@give answer\n@last final_answer $q';
  const { status, answer: given } = await runSop(script, commands, { concurrency: 1 });
  assert.deepEqual([status, given, order], ['done', 'yes', ['a', 'b']]);
});

test('the same results in the same order make the same run', async () => {
  const script =
    '@a take 3\n@b take 2\n@c take 1 $b\n@all each $input take\n@d take 1 $all $c\n@e alone 1 $a\n@f alone 1';
  const run = (): Promise<readonly string[]> => timeline(script, { input: [2, 1, 2], concurrency: 3 });
  assert.deepEqual(await run(), await run());
});

describe('events', () => {
  test('tell the whole run', async () => {
    const watch = watchEvents();
    const clock = createVirtualClock();
    const script = '# waits\n@a take 1\n@b take 1 when not $a';
    await clock.drive(runSop(script, commandsOver(clock), { clock, onEvent: watch.onEvent }));
    assert.deepEqual(watch.events, [
      { at: 0, type: 'plan.started', script },
      { at: 0, type: 'step.started', variable: 'a', command: 'take', input: '1', comment: 'waits' },
      {
        at: 1,
        type: 'step.ended',
        variable: 'a',
        command: 'take',
        value: { status: 'success', value: 'took 1' },
      },
      {
        at: 1,
        type: 'step.ended',
        variable: 'b',
        command: 'take',
        value: { status: 'canceled', reason: '$a is not empty', origin: 'b' },
      },
      { at: 1, type: 'plan.ended', status: 'done' },
    ]);
  });

  test('without a listener the clock is never asked', async () => {
    const clock = {
      now: (): number => assert.fail('asked for the time'),
      wait: (): Promise<void> => assert.fail('asked to wait'),
    };
    assert.equal((await runSop('@a assign 1\n@b assign $a', [], { clock })).status, 'done');
  });
});

test('a command that never ends leaves the plan open, and nothing else', async () => {
  const watch = watchEvents();
  const hold: SopCommand = { name: 'hold', run: () => new Promise(() => {}) };
  let end: SopEnd | undefined;
  void runSop('@a hold\n@b assign $a\n@c assign 1\n@d assign $c', [hold], watch).then(
    (ended) => (end = ended),
  );
  await watch.until('d ended success');
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(end, undefined);
});

/** Returns the events of steps, each with its time. */
async function timeline(script: string, options: SopOptions = {}): Promise<readonly string[]> {
  const clock = createVirtualClock();
  const watch = watchEvents();
  await clock.drive(runSop(script, commandsOver(clock), { ...options, clock, onEvent: watch.onEvent }));
  return watch.texts.map((text, index) => `${watch.events[index]?.at} ${text}`).slice(1, -1);
}

function startsIn(events: readonly string[]): readonly string[] {
  return events.filter((text) => text.endsWith(' started')).map((text) => text.replace(' started', ''));
}

/**
 * Commands over a virtual clock. `take` takes as long as its first argument says, and so does `alone`, which
 * never runs in parallel with itself.
 */
function commandsOver(clock: VirtualClock): readonly SopCommand[] {
  const take: SopCommand = {
    name: 'take',
    async run({ arguments: [ms], signal }) {
      await clock.wait(Number(ms), signal);
      return `took ${Number(ms)}`;
    },
  };
  return [take, { ...take, name: 'alone', isSequential: true }];
}
