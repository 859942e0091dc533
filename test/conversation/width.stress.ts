import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutTerminal } from '../support/pseudo-terminal.ts';
import { checkWhole, createWideProject, linesTooLong, shownCommands } from './width.ts';

for (const columns of [40, 80, 120])
  test(`every command fits a terminal of ${columns} columns`, { skip: withoutTerminal }, () => {
    using project = createWideProject();
    for (const command of shownCommands)
      assert.deepEqual(linesTooLong(project, command, columns), [], command);
  });

test('every command shows everything in a pipe', () => {
  using project = createWideProject();
  for (const command of shownCommands) checkWhole(project, command);
});
