import { allOf, anyOf, negate } from '../../request/join-conditions.ts';
import { requestLimits } from '../../request/request-limits.ts';
import type { Condition } from '../../request/request.ts';
import { isClauseAt, isPartEndAt } from './condition-start.ts';
import { accept, fieldAt, isAt, peek, offsetOf, valuesAt, type Cursor } from '../cursor.ts';
import { parseLeaf } from './parse-leaf.ts';
import { unclosed } from './read-operand.ts';
import { faultAt } from '../stop.ts';
import { ands, closing, comma, nots, opening, ors, wordsOf } from '../vocabulary.ts';

const { deepest, maxLeaves } = requestLimits;

/** Reads the longest possible condition, starting at the next token. `and` binds more tightly than `or`. */
export function parseCondition(cursor: Cursor, depth = 1): Condition {
  if (depth > deepest) {
    throw faultAt(
      offsetOf(cursor, cursor.index),
      `The condition is nested deeper than ${deepest} levels.`,
      'Flatten it.',
    );
  }
  const parts = [parseAll(cursor, depth)];
  while (isAt(cursor, orAt(cursor), ors)) {
    cursor.index = orAt(cursor) + 1;
    parts.push(parseAll(cursor, depth));
  }
  return anyOf(parts);
}

/**
 * Returns the index at which an `or` may occur: that of the next token or, if the next token is a comma, of
 * the token after it.
 */
function orAt(cursor: Cursor): number {
  return isAt(cursor, cursor.index, comma) ? cursor.index + 1 : cursor.index;
}

function parseAll(cursor: Cursor, depth: number): Condition {
  const parts: Condition[] = [];
  do {
    refuseBoth(cursor, parts.at(-1));
    parts.push(parseOne(cursor, depth));
  } while (hasNext(cursor));
  return allOf(parts);
}

/** Throws for `<field> is a and b`, because no record can have both values. */
function refuseBoth(cursor: Cursor, last: Condition | undefined): void {
  if (last === undefined || !('field' in last) || (last.is !== 'equals' && last.is !== 'in')) return;
  const values = fieldAt(cursor) === undefined ? valuesAt(cursor)?.found : undefined;
  if (values === undefined || !values.every(({ field }) => field.name === last.field)) return;
  const message = `"${last.field}" cannot be "${values[0]?.value ?? ''}" and something else at once.`;
  throw faultAt(offsetOf(cursor, cursor.index), message, 'Write "or" between values.');
}

/** Whether another comparison follows. If so, moves past the comma or conjunction before it. */
function hasNext(cursor: Cursor): boolean {
  const start = cursor.index;
  const hasComma = accept(cursor, comma);
  const hasAnd = accept(cursor, ands);
  const next = cursor.index;
  const isTail = isPartEndAt(cursor, next) && next < cursor.tokens.length;
  if (hasAnd && !isTail && !isWriting(cursor, next)) return true;
  if (!hasAnd && isClauseAt(cursor, next) && !cursor.isStop(next)) return true;
  if (hasComma && !hasAnd && (fieldAt(cursor, next) ?? valuesAt(cursor, next)) !== undefined) return true;
  cursor.index = start;
  return false;
}

/** Whether another part of the request follows `and`, such as the records to change. */
function isWriting(cursor: Cursor, index: number): boolean {
  return index < cursor.tokens.length && cursor.isStop(index) && fieldAt(cursor, index) === undefined;
}

function parseOne(cursor: Cursor, depth: number): Condition {
  let isNegated = false;
  while (isAt(cursor, cursor.index, nots) || (isAt(cursor, cursor.index, leads) && isBracketed(cursor))) {
    if (isAt(cursor, cursor.index, nots)) isNegated = !isNegated;
    cursor.index++;
  }
  const condition = isAt(cursor, cursor.index, opening)
    ? parseBracketed(cursor, depth)
    : parseCounted(cursor);
  return isNegated ? negate(condition) : condition;
}

const leads = wordsOf('where when that which who');

function isBracketed(cursor: Cursor): boolean {
  return isAt(cursor, cursor.index + 1, nots) || isAt(cursor, cursor.index + 1, opening);
}

function parseCounted(cursor: Cursor): Condition {
  if (++cursor.leaves > maxLeaves) {
    throw faultAt(
      offsetOf(cursor, cursor.index),
      `There are more than ${maxLeaves} conditions.`,
      'Use fewer conditions.',
    );
  }
  return parseLeaf(cursor);
}

function parseBracketed(cursor: Cursor, depth: number): Condition {
  const at = offsetOf(cursor, cursor.index);
  cursor.index++;
  const condition = parseCondition(cursor, depth + 1);
  if (accept(cursor, closing)) return condition;
  if (peek(cursor) === undefined) throw unclosed(at);
  throw faultAt(
    offsetOf(cursor, cursor.index),
    `Unexpected "${peek(cursor)?.text ?? ''}" in the condition.`,
    'Join conditions with "and" or "or".',
  );
}
