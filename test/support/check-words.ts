import assert from 'node:assert/strict';
import type { Table } from '../../src/families/table/table.ts';
import { understand } from '../../src/families/table/words/understand.ts';
import { spellUnderstood } from './spell-request.ts';
import { clock } from './word-tables.ts';

/**
 * Checks lines of the form `words → expected result`, where `
 * ` is a line break. Returns the number of lines checked.
 */
export function checkWords(table: Table, kind: string, lines: string): number {
  const cases = lines.split('\n').filter((line) => line.trim() !== '');
  for (const line of cases) {
    const [words = '', expected] = line.split(' → ').map((part) => part.replaceAll('\\n', '\n'));
    const understood = understand(table, words, clock);
    assert.equal(spellUnderstood(understood), expected, words);
    assert.equal(understood.kind, kind, words);
    if (understood.kind === 'fault') assert.match(understood.hint, /^[A-Z].*[.…?]$/s, words);
  }
  return cases.length;
}
