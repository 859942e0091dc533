import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processTerminal } from './terminal.ts';

test('a terminal that does not know its width is not a pipe, and a pipe has no width', () => {
  const widthWith = (isTTY: boolean, columns: number): number | undefined => {
    const { stdout } = process;
    const before = { isTTY: stdout.isTTY, columns: stdout.columns };
    Object.assign(stdout, { isTTY, columns });
    try {
      return processTerminal('never').width;
    } finally {
      Object.assign(stdout, before);
    }
  };
  assert.deepEqual([widthWith(true, 0), widthWith(true, 33), widthWith(false, 33)], [80, 33, undefined]);
});
