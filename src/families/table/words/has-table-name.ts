import type { Table } from '../table.ts';
import { createCursor, tableLength } from './cursor.ts';

/** Whether words that can be read name the table. */
export function hasTableName(table: Table, words: string): boolean {
  const cursor = createCursor(table, words, { now: 0, zone: 'UTC' });
  return cursor.tokens.some((_, index) => tableLength(cursor, index) > 0);
}
