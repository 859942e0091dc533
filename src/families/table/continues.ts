import { buildTable } from './build-table.ts';
import type { TableDefinition } from './descriptor/definition.ts';
import { understand } from './words/understand.ts';

const anyTime = { now: 0, zone: 'UTC' }; // what words are does not depend on the day

/** Whether words are a plain request to a table, as `undo` or `show D-17`, which do not name it. */
export function continues(definition: TableDefinition, words: string): boolean {
  const { kind } = understand(buildTable(definition), words, anyTime);
  return kind === 'request' || kind === 'question';
}
