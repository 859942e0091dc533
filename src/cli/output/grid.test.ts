import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fitGrids } from './grid.ts';

const grid = [
  '2 machines:',
  '  id    area                     note',
  '  ----  -----------------------  ------------',
  '  D-17  back room, by the door',
  '  D-18',
  '  D-19  front                    needs a new belt',
  '  Say yes or no.',
];

describe('a table of plain text', () => {
  test('stays as it is where it fits', () => {
    assert.deepEqual(fitGrids(grid, 60), grid);
  });

  test('that is wider than the terminal is shown row by row, and loses no cell', () => {
    assert.deepEqual(fitGrids(grid, 30), [
      '2 machines:',
      '  D-17',
      '    area: back room, by the',
      '      door',
      '  D-18',
      '  D-19',
      '    area: front',
      '    note: needs a new belt',
      '  Say yes or no.',
    ]);
  });

  test('leaves rules, lists and other text alone', () => {
    const text = ['Title of a page', '----', '- one  two', '---  --- in the middle of a text that is long'];
    assert.deepEqual(fitGrids(text, 10), text);
  });
});
