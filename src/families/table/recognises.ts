import { buildTable } from './build-table.ts';
import type { TableDefinition } from './descriptor/definition.ts';
import type { Table } from './table.ts';
import { anyTime } from './values/any-time.ts';
import { createCursor, tableLength } from './words/cursor.ts';
import { understand } from './words/understand.ts';

/** Plain forms that name the table are for it, whatever is wrong with them; those that do not, as `undo`, only after it worked. */
export function recognises(definition: TableDefinition, words: string): 'named' | 'next' | undefined {
  const table = buildTable(definition);
  const { kind } = understand(table, words, anyTime);
  if (kind === 'unknown') return undefined;
  if (hasTableName(table, words)) return 'named';
  return kind === 'fault' ? undefined : 'next';
}

/** Whether words that can be read name the table. */
function hasTableName(table: Table, words: string): boolean {
  const cursor = createCursor(table, words, { now: 0, zone: 'UTC' });
  return cursor.tokens.some((_, index) => tableLength(cursor, index) > 0);
}
