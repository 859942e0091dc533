import type { Field } from '../table.ts';
import { afterArticles, afterTable, isClauseAt } from './conditions/condition-start.ts';
import { accept, fieldAt, isAt, offsetOf, tableLength, valuesAt, type Cursor } from './cursor.ts';
import { faultAt, unclearAt } from './stop.ts';
import { isTailAt } from './tail-start.ts';
import { ands, comma, nouns, wordsOf } from './vocabulary.ts';

/** Whether a token names a field to display rather than a field to use in a condition. */
export function isColumnAt(cursor: Cursor, index = cursor.index): boolean {
  const start = afterArticles(cursor, index);
  const field = fieldAt(cursor, start);
  if (field === undefined || (valuesAt(cursor, start)?.length ?? 0) > field.length) return false;
  if (tableLength(cursor, start) >= field.length) return false;
  const next = start + field.length;
  if (field.found.type === 'boolean' && isCondition(cursor, start, next)) return false;
  return isColumnEnd(cursor, next);
}

function isColumnEnd(cursor: Cursor, next: number): boolean {
  if (next >= cursor.tokens.length || isAt(cursor, next, comma) || isAt(cursor, next, fromTable)) return true;
  if (
    isTailAt(cursor, next) ||
    isClauseAt(cursor, next) ||
    isAt(cursor, next, nouns) ||
    tableLength(cursor, next) > 0
  )
    return true;
  if (cursor.isStop(next)) return true;
  return isAt(cursor, next, ands) && fieldAt(cursor, afterArticles(cursor, next + 1)) !== undefined;
}

const fromTable = wordsOf('of from for');

const beforeFields = wordsOf(', and & plus field fields column columns only showing');

/**
 * Whether a boolean field is used as a condition, as in `paid records`. Throws a question if this is
 * ambiguous.
 */
function isCondition(cursor: Cursor, start: number, next: number): boolean {
  if (tableLength(cursor, next) > 0 || isAt(cursor, next, nouns)) return true;
  const isFirst = start > 0 && !isAt(cursor, start - 1, beforeFields);
  if (next < cursor.tokens.length || !isFirst || afterTable(cursor, start - 1) !== start - 1) return false;
  const [at, end] = [offsetOf(cursor, start), cursor.tokens[next - 1]?.end ?? 0];
  const words = cursor.words.slice(at, end);
  throw unclearAt(at, end, `Do you want the records that are "${words}", or the field with that name?`, [
    `where ${words}`,
    `field ${words}`,
  ]);
}

/** Reads the fields to show, starting at the next token. */
export function readColumns(cursor: Cursor): readonly Field[] {
  const columns: Field[] = [];
  do {
    cursor.index = afterArticles(cursor, cursor.index);
    const field = fieldAt(cursor);
    if (field === undefined) break;
    if (columns.includes(field.found)) {
      throw faultAt(offsetOf(cursor, cursor.index), `"${field.found.name}" is named twice.`, 'Name it once.');
    }
    columns.push(field.found);
    cursor.index += field.length;
  } while (acceptNext(cursor));
  return columns;
}

function acceptNext(cursor: Cursor): boolean {
  const start = cursor.index;
  accept(cursor, comma);
  accept(cursor, ands);
  if (cursor.index > start && isColumnAt(cursor)) return true;
  cursor.index = start;
  return false;
}
