import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatCommands } from './chat-commands.ts';
import { showHelp } from './show-help.ts';

for (const columns of [40, 60, 80, 200])
  test(`help fits ${columns} columns, and breaks no word`, () => {
    const { text } = showHelp(chatCommands, columns);
    const lines = text.split('\n');
    assert.deepEqual(
      lines.filter((line) => line.length > columns),
      [],
    );
    const wordsOf = (shown: string): readonly string[] => shown.split(/\s+/).toSorted();
    assert.deepEqual(wordsOf(text), wordsOf(showHelp(chatCommands).text));
    for (const { name } of chatCommands) assert.match(text, new RegExp(`^ {2}/${name}\\b`, 'm'));
  });
