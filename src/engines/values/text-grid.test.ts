import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cutText } from '../../core/text.ts';
import { showGrid } from './text-grid.ts';

const left = (label: string) => ({ label, align: 'left' as const });
const right = (label: string) => ({ label, align: 'right' as const });

describe('a text table', () => {
  test('has its columns one below the other, numbers by their last digit', () => {
    const shown = showGrid(
      [left('Name'), right('Price')],
      [
        ['Drill 18V', '9'],
        ['Saw', '120.5'],
      ],
    );
    assert.deepEqual(shown.split('\n'), [
      'Name       Price',
      '---------  -----',
      'Drill 18V      9',
      'Saw        120.5',
    ]);
  });

  test('keeps each record on its line, whatever is in its cells', () => {
    const hostile = ['a\nb', 'c\r\nd', '\u001b[31mred', 'x\u202ey', 'tab\tbed', '|---|', '\u2028z'];
    const shown = showGrid(
      [left('Value')],
      hostile.map((cell) => [cell]),
    );
    assert.equal(shown.split('\n').length, hostile.length + 2);
    for (const char of ['\u001b', '\u202e', '\u2028', '\r', '\t']) assert.ok(!shown.includes(char));
    assert.match(shown, /a\\nb/);
  });

  test('cuts what is long, and says which columns have no room', () => {
    const columns = Array.from({ length: 6 }, (_value, index) => left(`Column ${index + 1}`));
    const shown = showGrid(columns, [columns.map(() => 'x'.repeat(1_000))]);
    const lines = shown.split('\n');
    assert.ok(lines.every((line) => line.length <= 160));
    assert.match(lines[2] ?? '', /^x{39}… {2}x{39}…/);
    assert.equal(lines.at(-1), 'Not shown: Column 4, Column 5, Column 6.');
  });

  test('cuts between characters, also in a value of millions of letters', () => {
    assert.equal(cutText('👩‍🔧'.repeat(3), 1), '…');
    assert.equal(cutText('ab', 2), 'ab');
    assert.equal(cutText('abc', 2), 'a…');
    assert.ok(cutText('ä'.repeat(10_000_000), 40).isWellFormed());
    assert.equal(Array.from(cutText('😀'.repeat(50), 40)).length, 40);
  });
});
