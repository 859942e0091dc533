import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createLiveLines, fitting, redraw } from './live-lines.ts';

const clear = '\u001b[2K';

describe('lines that are drawn in place', () => {
  test('the first time below everything, then over themselves', () => {
    assert.equal(redraw([], ['a', 'b']), `\r${clear}a\n${clear}b\n`);
    assert.equal(redraw(['a', 'b'], ['a', 'c']), `\u001b[2A\r${clear}a\n${clear}c\n`);
    assert.equal(redraw(['a'], ['a', 'b']), `\u001b[1A\r${clear}a\n${clear}b\n`);
  });

  test('nothing where nothing changed', () => {
    assert.equal(redraw(['a'], ['a']), '');
    assert.equal(redraw([], []), '');
  });

  test('fewer lines leave no remains', () => {
    assert.equal(redraw(['a', 'b'], ['a']), `\u001b[2A\r${clear}a\n\u001b[J`);
    assert.equal(redraw(['a', 'b'], []), '\u001b[2A\r\u001b[J');
  });

  test('no more than the screen has room for', () => {
    const lines = ['a', 'b', 'c', 'd', 'e'];
    assert.deepEqual(fitting(lines, { columns: 80, rows: 6 }), lines);
    assert.deepEqual(fitting(lines, { columns: 80, rows: 4 }), ['… 3 lines above', 'd', 'e']);
    assert.deepEqual(fitting(lines, { columns: 9, rows: 4 }), ['… 3 lin…', 'd', 'e']);
    assert.deepEqual(fitting(lines, { columns: 80, rows: 2 }), ['e']);
    assert.deepEqual(fitting(lines, { columns: 80, rows: 1 }), ['e']);
  });

  test('wiped before other text is written, and gone then', () => {
    let written = '';
    const live = createLiveLines({ columns: 80, rows: 24, write: (text) => (written += text) });
    live.show(['a']);
    live.show(['a']);
    live.wipe();
    live.wipe();
    assert.equal(written, `\r${clear}a\n\u001b[1A\r\u001b[J`);
  });

  test('a screen that becomes narrower breaks them, and nothing of that is left', () => {
    let written = '';
    const surface = { columns: 80, rows: 24, write: (text: string) => (written += text) };
    const live = createLiveLines(surface);
    const painted = `\u001b[32m${'x'.repeat(50)}\u001b[39m`;
    live.show([painted, 'b']);
    written = '';
    surface.columns = 20;
    live.show(['a', 'b']);
    assert.equal(written, `\u001b[4A\r\u001b[J${clear}a\n${clear}b\n`);
    written = '';
    surface.columns = 90;
    live.show(['a', 'c']);
    assert.equal(written, `\u001b[2A\r${clear}a\n${clear}c\n`);
  });

  test('a terminal that does not tell its size has the usual one', () => {
    const live = createLiveLines({ columns: 0, rows: 0, write: () => undefined });
    assert.deepEqual(live.screen(), { columns: 80, rows: 24 });
  });
});
