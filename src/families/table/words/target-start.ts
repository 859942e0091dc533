import type { Table } from '../table.ts';
import { afterArticles } from './condition-start.ts';
import { fieldAt, isAt, tableLength, valuesAt, type Cursor } from './cursor.ts';
import { readKeys } from './read-keys.ts';
import { alls, nouns, wordsOf } from './vocabulary.ts';

/** Whether the records that a change is about are named from a token on, as in `for <key>` or `where …`. */
export function isTargetAt(cursor: Cursor, table: Table, index: number): boolean {
  if (isAt(cursor, index, certain)) return true;
  if (!isAt(cursor, index, befores)) return false;
  const next = afterArticles(cursor, index + 1);
  if (isAt(cursor, next, alls) || isAt(cursor, next, nouns) || tableLength(cursor, next) > 0) return true;
  if ((fieldAt(cursor, next) ?? valuesAt(cursor, next)) !== undefined) return true;
  return isKeyAt(cursor, table, next);
}

/** Whether a key can stand at a token. */
export function isKeyAt(cursor: Cursor, table: Table, index: number): boolean {
  const here = cursor.index;
  cursor.index = index;
  const isKey = readKeys(cursor, table, true) !== undefined;
  cursor.index = here;
  return isKey;
}

const certain = wordsOf('where whose');
/** Words between what changes and the records that it is about. */
export const befores = wordsOf('for on of in from');
