// Own process: waits for programs at pseudo-terminals.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { withoutTerminal } from '../support/pseudo-terminal.ts';
import { checkWhole, createWideProject, linesTooLong, shownCommands } from './width.ts';

// Each run takes every tenth command. The long loops take all.
const parts = 10;
const given = Number(process.env['SKILLED_WIDTH_SEED'] ?? randomInt(parts));

test(
  `no command prints lines that are wider than the terminal (SKILLED_WIDTH_SEED=${given})`,
  { skip: withoutTerminal },
  () => {
    using project = createWideProject();
    for (const command of shownCommands.filter((_, index) => index % parts === given % parts))
      assert.deepEqual(linesTooLong(project, command, 40), [], command);
    checkWhole(project, shownCommands[given % shownCommands.length] ?? '');
  },
);
