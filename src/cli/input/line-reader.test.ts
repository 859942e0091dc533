import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { pipedLines, typedLines, type LineCompletion, type Lines } from './line-reader.ts';

test('lines of a pipe come whole, whatever ends them and wherever they are cut', async () => {
  using lines = pipedLines(Readable.from(['on', 'e\r\ntw', 'o\n\nlast'].map((part) => Buffer.from(part))));
  const taken: (string | undefined)[] = [];
  for (let count = 0; count < 6; count++) taken.push(await lines.next('> '));
  assert.deepEqual(taken, ['one', 'two', '', 'last', undefined, undefined]);
});

interface Desk {
  readonly lines: Lines;
  /** Types keys, which arrive in one chunk, as from a terminal. */
  type(keys: string): void;
  /** The output so far, including control sequences. */
  shown(): string;
}

function desk(
  complete: (typed: string) => LineCompletion = () => ({ lines: [] }),
  earlier: readonly string[] = [],
): Desk {
  const input = new PassThrough();
  const output = new PassThrough();
  let screen = '';
  output.setEncoding('utf8').on('data', (text: string) => (screen += text));
  return {
    lines: typedLines({ input, output, marksPaste: true, complete, earlier }),
    type: (keys) => void input.write(keys),
    shown: () => screen,
  };
}

describe('lines that are typed', () => {
  test('come one by one, and what was typed ahead is kept', async () => {
    const { lines, type } = desk();
    const first = lines.next('> ');
    type('one\rtwo\rthr');
    assert.equal(await first, 'one');
    assert.equal(await lines.next('> '), 'two');
    const third = lines.next('> ');
    type('ee\r');
    assert.equal(await third, 'three');
  });

  test('stay one piece when they are pasted', async () => {
    const { lines, type } = desk();
    const said = lines.next('> ');
    type('look: \u001b[200~a\rb\rc\u001b[201~');
    type(' please\r');
    assert.equal(await said, 'look: a\nb\nc please');
  });

  test('are dropped by Ctrl+C, which leaves where there is nothing to drop', async () => {
    const { lines, type, shown } = desk();
    const said = lines.next('> ');
    type('wro\u0003');
    await new Promise(setImmediate);
    type('right\r');
    assert.equal(await said, 'right');
    assert.match(shown(), /wro\^C/);
    const last = lines.next('> ');
    type('\u0003');
    assert.equal(await last, undefined);
    assert.equal(await lines.next('> '), undefined, 'and nothing is asked any more');
  });

  test('end with Ctrl+D, after those that were typed before it', async () => {
    const { lines, type } = desk();
    const first = lines.next('> ');
    type('one\r\u0004');
    assert.equal(await first, 'one');
    assert.equal(await lines.next('> '), undefined);
  });

  test('are remembered for the arrow keys', async () => {
    const { lines, type } = desk();
    const first = lines.next('> ');
    type('again\r');
    await first;
    const second = lines.next('> ');
    type('\u001b[A\r');
    assert.equal(await second, 'again');
  });

  test('the start of the next line never precedes output of this one', async () => {
    const { lines, type, shown } = desk();
    const first = lines.next('> ');
    type('one\rtw');
    assert.equal(await first, 'one');
    assert.ok(shown().includes('tw\r\u001b[J'), JSON.stringify(shown()));
    const second = lines.next('> ');
    type('o\r');
    assert.equal(await second, 'two');
  });

  test('of earlier conversations come after those of this one', async () => {
    const { lines, type } = desk(undefined, ['newer', 'older']);
    const first = lines.next('> ');
    type('now\r');
    await first;
    const second = lines.next('> ');
    type('\u001b[A\u001b[A\u001b[A\r');
    assert.equal(await second, 'older');
  });

  test('are completed by Tab, and a complete one reports what it takes', async () => {
    const { lines, type, shown } = desk((typed) =>
      typed === '/de' ? { lines: ['/deploy '] } : { lines: [], hint: `takes <where> behind ${typed}` },
    );
    const said = lines.next('> ');
    type('/de');
    type('\t');
    await new Promise(setImmediate);
    type('\t');
    await new Promise(setImmediate);
    type('here\r');
    assert.equal(await said, '/deploy here');
    assert.match(shown(), /\ntakes <where> behind \/deploy \n/);
  });
});
