import { buildTable } from './build-table.ts';
import type { TableDefinition } from './descriptor/definition.ts';
import type { Table } from './table.ts';
import { anyTime } from './values/any-time.ts';
import { createCursor, tableLength } from './words/cursor.ts';
import { understand } from './words/understand.ts';

/**
 * Determines whether text is a request to this table. Returns `named` for a plain-language request that
 * contains the table's name, even one with mistakes. Returns `next` for any other plain request, such as
 * `undo`, which is accepted only right after the table was used.
 */
export function recognises(definition: TableDefinition, text: string): 'named' | 'next' | undefined {
  const table = buildTable(definition);
  const { kind } = understand(table, text, anyTime);
  if (kind === 'unknown') return undefined;
  if (hasTableName(table, text)) return 'named';
  return kind === 'fault' ? undefined : 'next';
}

/** Whether the text contains the table's name. */
function hasTableName(table: Table, text: string): boolean {
  const cursor = createCursor(table, text, { now: 0, zone: 'UTC' });
  return cursor.tokens.some((_, index) => tableLength(cursor, index) > 0);
}
