import type { Field } from '../../table.ts';
import { fieldAt, isAt, tableLength, valuesAt, type Cursor } from '../cursor.ts';
import { isTailAt } from '../tail-start.ts';
import {
  alls,
  articles,
  closing,
  introducers,
  nots,
  nouns,
  opening,
  prepositions,
  separators,
  wordsOf,
} from '../vocabulary.ts';

/**
 * Whether part of a request ends before a token: at the end of the text, a closing bracket, a separator, or
 * words that sort, limit or group a list.
 */
export function isPartEndAt(cursor: Cursor, index: number): boolean {
  return (
    index >= cursor.tokens.length ||
    isAt(cursor, index, closing) ||
    isAt(cursor, index, separators) ||
    isTailAt(cursor, index)
  );
}

/** Whether a new comparison begins at a token, rather than another value for the previous field. */
export function isConditionAt(cursor: Cursor, field: Field, index: number): boolean {
  const value = valuesAt(cursor, index);
  if (value?.found.some((one) => one.field === field) === true) return false;
  if (isAt(cursor, index, opening) || isClauseAt(cursor, index)) return true;
  if (fieldAt(cursor, index) !== undefined) return true;
  return value !== undefined && field.values !== undefined;
}

/** Whether a clause about records begins at a token, such as `where …`, `in <field> …` or `without …`. */
export function isClauseAt(cursor: Cursor, index: number): boolean {
  if (isAt(cursor, index, certain)) return true;
  if (isAt(cursor, index, withouts)) return fieldAt(cursor, afterArticles(cursor, index + 1)) !== undefined;
  if (!isAt(cursor, index, prepositions) && !isAt(cursor, index, introducers)) return false;
  const next = afterArticles(cursor, index + 1);
  if (isAt(cursor, index, introducers) && isAt(cursor, next, predicateStarts)) return true;
  return fieldAt(cursor, next) !== undefined;
}

const certain = wordsOf('where whose');
const withouts = wordsOf('without no');
const predicateStarts = wordsOf('is are was were has have had no not');

const maxArticles = 3; // The maximum number of consecutive articles.

/** Returns the index of the first token, from `index` on, that is not an article. */
export function afterArticles(cursor: Cursor, index: number): number {
  let next = index;
  while (next - index < maxArticles && isAt(cursor, next, articles)) next++;
  return next;
}

const fillers = new Set([...articles, ...alls, ...nouns]);

/** Skips the table's name, articles, and words such as "all" and "records". Returns the next index. */
export function afterTable(cursor: Cursor, index: number): number {
  let next = index;
  while (true) {
    const length = tableLength(cursor, next);
    if (length > 0) next += length;
    else if (isAt(cursor, next, fillers) && fieldAt(cursor, next) === undefined) next++;
    else return next;
  }
}

/** Whether the table's name begins at a token, optionally after a listed value or a boolean field. */
export function isTableNear(cursor: Cursor, start: number): boolean {
  const index = isAt(cursor, start, nots) ? start + 1 : start;
  if (index === start && tableLength(cursor, index) > 0) return true;
  const value = valuesAt(cursor, index);
  if (value !== undefined) {
    const next = index + value.length;
    const field = fieldAt(cursor, next);
    const isNamed = value.found.some((one) => one.field === field?.found);
    return tableLength(cursor, isNamed ? next + (field?.length ?? 0) : next) > 0;
  }
  const field = fieldAt(cursor, index);
  return field?.found.type === 'boolean' && tableLength(cursor, index + field.length) > 0;
}
