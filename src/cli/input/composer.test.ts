import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, test } from 'node:test';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { createScreen } from '../../../test/support/screen.ts';
import { createLiveLines } from '../output/live-lines.ts';
import { openComposer, type Composer } from './composer.ts';
import type { LineCompletion } from './line-reader.ts';

interface Desk {
  readonly lines: Composer;
  readonly signals: readonly string[];
  /** The changes of the terminal's mode, in order. */
  readonly modes: readonly boolean[];
  /** Types keys, which arrive in one chunk, as from a terminal. */
  type(keys: string): Promise<void>;
  /** The rows of the screen. */
  shown(): string;
}

function desk(
  complete: (typed: string) => LineCompletion = () => ({ lines: [] }),
  earlier: readonly string[] = [],
  columns = 60,
): Desk {
  const modes: boolean[] = [];
  const signals: string[] = [];
  const input = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => modes.push(isRaw) });
  const screen = createScreen(columns, 20);
  const show = (text: string): void => screen.write(text.replaceAll('\n', '\r\n'));
  const live = createLiveLines({ columns, rows: 20, write: (text) => show(text) });
  const lines = openComposer({
    input,
    live,
    complete,
    earlier,
    write: (text) => live.above(() => show(text)),
    control: () => undefined,
    send: (signal) => void signals.push(signal),
  });
  const type = async (keys: string): Promise<void> => {
    input.write(keys);
    await turn();
    await turn();
  };
  return { lines, signals, modes, type, shown: () => screen.rows().join('\n').trimEnd() };
}

describe('lines that are typed', () => {
  test('come one by one, and what was typed ahead is kept', async () => {
    const { lines, type, shown } = desk();
    using _open = lines;
    const first = lines.next('> ');
    await type('one\rtwo\rthr');
    assert.equal(await first, 'one');
    assert.equal(await lines.next('> '), 'two');
    const third = lines.next('> ');
    await type('ee\r');
    assert.equal(await third, 'three');
    assert.equal(shown(), '> one\n> two\n> three');
  });

  test('stay one piece when they are pasted', async () => {
    const { lines, type } = desk();
    using _open = lines;
    const said = lines.next('> ');
    await type('look: \u001b[200~a\rb\rc\u001b[201~');
    await type(' please\r');
    assert.equal(await said, 'look: a\nb\nc please');
  });

  test('are dropped by Ctrl+C, which leaves where there is nothing to drop', async () => {
    const { lines, type, shown, signals } = desk();
    using _open = lines;
    const said = lines.next('> ');
    await type('wro\u0003');
    await type('right\r');
    assert.equal(await said, 'right');
    assert.match(shown(), /^> wro\^C$/m);
    const last = lines.next('> ');
    await type('\u0003');
    assert.equal(await last, undefined);
    assert.equal(await lines.next('> '), undefined, 'and nothing is asked any more');
    assert.deepEqual(signals, []);
  });

  test('end with Ctrl+D, after those that were typed before it', async () => {
    const { lines, type } = desk();
    using _open = lines;
    const first = lines.next('> ');
    await type('one\r');
    assert.equal(await first, 'one');
    const second = lines.next('> ');
    await type('\u0004');
    assert.equal(await second, undefined);
  });

  test('are recalled with the arrow keys, those of earlier conversations last', async () => {
    const { lines, type } = desk(undefined, ['newer', 'older']);
    using _open = lines;
    const first = lines.next('> ');
    await type('now\r');
    await first;
    const second = lines.next('> ');
    await type('\u001b[A\u001b[A\u001b[A\r');
    assert.equal(await second, 'older');
  });

  test('are found with Ctrl+R, each press an older one, and Esc keeps what was found', async () => {
    const { lines, type, shown } = desk(undefined, ['fix the bell', 'buy bread', 'sell the bell']);
    using _open = lines;
    const said = lines.next('> ');
    await type('\u0012bell');
    assert.equal(shown(), '(search) bell: fix the bell');
    await type('\u0012');
    assert.equal(shown(), '(search) bell: sell the bell');
    await type('\u001b');
    await pause(100);
    await type('!\r');
    assert.equal(await said, 'sell the bell!');
  });

  test('are completed by Tab as far as it is clear, with suggestions below', async () => {
    const all = ['/deploy', '/deploy-all'];
    const { lines, type, shown } = desk((typed) => {
      const fitting = all.filter((one) => one.startsWith(typed));
      return { lines: fitting, suggestions: fitting.map((one) => `  ${one}`) };
    });
    using _open = lines;
    const said = lines.next('> ');
    await type('/d');
    assert.equal(shown(), '> /d\n  /deploy\n  /deploy-all');
    await type('\t');
    assert.equal(shown(), '> /deploy\n  /deploy\n  /deploy-all');
    await type('-\t\r');
    assert.equal(await said, '/deploy-all');
    assert.equal(shown(), '> /deploy-all', 'the suggestions are gone');
  });

  test('wrap where the screen ends, with the cursor where the next key appears', async () => {
    const { lines, type, shown } = desk(undefined, [], 20);
    using _open = lines;
    const said = lines.next('> ');
    await type('a long line that needs more rows\u001b[D\u001b[DX');
    assert.equal(shown(), '> a long line that\nneeds more roXws');
    await type('\r');
    assert.equal(await said, 'a long line that needs more roXws');
  });
});

describe('keys that are typed during a run', () => {
  test('are shown, and Enter sends the line to the run unless it takes none', async () => {
    const { lines, type, shown } = desk();
    using _open = lines;
    const taken: string[] = [];
    {
      using _run = lines.during?.({
        hint: '  hint',
        onLine: (line) => line !== '/later' && taken.push(line) > 0,
        onStop: () => undefined,
      });
      await type('only Mark');
      assert.equal(shown(), '> only Mark\n  hint');
      await type('down\r/later\rrest');
    }
    assert.deepEqual(taken, ['only Markdown']);
    assert.equal(await lines.next('> '), '/later');
    const rest = lines.next('> ');
    await type('\r');
    assert.equal(await rest, 'rest');
  });

  test('Esc stops the run, and Ctrl+C is the signal that a terminal sends', async () => {
    const { lines, type, signals } = desk();
    using _open = lines;
    let stops = 0;
    using _run = lines.during?.({ hint: '', onLine: () => true, onStop: () => void (stops += 1) });
    await type('\u001b');
    await pause(100);
    assert.equal(stops, 1);
    await type('typed\u0003');
    assert.deepEqual(signals, ['SIGINT']);
  });

  test('decide nothing that was not asked yet, and are still there after the decision', async () => {
    const { lines, type, shown } = desk();
    using _open = lines;
    using _run = lines.during?.({ hint: '', onLine: () => false, onStop: () => undefined });
    await type('y\rhalf');
    const asked = lines.ask('May it? ');
    await pause(80);
    assert.equal(shown(), 'May it?');
    await type('n\r');
    assert.equal(await asked, 'n');
    assert.equal(await lines.next('> '), 'y');
    const next = lines.next('> ');
    await type(' a line\r');
    assert.equal(await next, 'half a line');
  });

  test('are not awaited any longer if the question is withdrawn', async () => {
    const { lines } = desk();
    using _open = lines;
    const abort = new AbortController();
    const asked = lines.ask('May it? ', abort.signal);
    abort.abort();
    assert.equal(await asked, undefined);
  });
});

test('the terminal is given back before a signal stops or ends the process, and taken again afterwards', async () => {
  const before = process.listeners('SIGCONT');
  const { lines, type, modes, signals } = desk();
  const said = lines.next('> ');
  await type('x\u001a');
  assert.deepEqual([modes, signals], [[true, false], ['SIGTSTP']]);
  for (const listener of process.listeners('SIGCONT')) if (!before.includes(listener)) listener('SIGCONT');
  await type('y\r');
  assert.equal(await said, 'xy');
  lines[Symbol.dispose]();
  assert.deepEqual(modes, [true, false, true, false]);
  assert.deepEqual(process.listeners('SIGCONT'), before);
});
