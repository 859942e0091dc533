import type { AgentError } from '../../../core/index.ts';
import { allOf } from '../request/join-conditions.ts';
import type { Condition } from '../request/request.ts';
import type { Field } from '../table.ts';
import { quote } from '../values/quote.ts';
import { afterArticles, afterTable, isClauseAt, isTableNear } from './conditions/condition-start.ts';
import {
  accept,
  fieldAt,
  isAt,
  isAtEnd,
  peek,
  offsetOf,
  tableLength,
  valuesAt,
  type Cursor,
} from './cursor.ts';
import { parseCondition } from './conditions/parse-condition.ts';
import { unclearFrom } from './conditions/parse-leaf.ts';
import { acceptPhrase, buildPhrases, phraseAt } from './phrases.ts';
import { isColumnAt, readColumns } from './read-columns.ts';
import { readOrderField, readTailPart, type Tail } from './read-tail.ts';
import { readVerb } from './read-verb.ts';
import { faultAt, notClear } from './stop.ts';
import { groupings, isTailAt } from './tail-start.ts';
import {
  alls,
  ands,
  articles,
  beings,
  comma,
  nots,
  nouns,
  opening,
  prepositions,
  wordsOf,
} from './vocabulary.ts';

/** The clauses that describe records and how to show them. */
export interface Clauses {
  readonly tail: Tail;
  readonly conditions: Condition[];
  columns: readonly Field[];
  /** The field to group or sort by, after `by` or a synonym. */
  by?: Field;
  /** Whether the request asks for a separate result for each value of the `by` field. */
  isEach?: true;
  /** Whether the request mentions all records. */
  isAll: boolean;
  /** Whether the request names the table or its records. */
  isNamed: boolean;
}

/** Reads all clauses, starting at the next token, until the text ends or `isEnd` returns true. */
export function readClauses(cursor: Cursor, isEnd: (index: number) => boolean = () => false): Clauses {
  const clauses: Clauses = {
    tail: { positions: new Map() },
    conditions: [],
    columns: [],
    isAll: false,
    isNamed: false,
  };
  while (!isAtEnd(cursor) && !isEnd(cursor.index)) {
    if (!readClause(cursor, clauses)) throw stray(cursor);
  }
  return clauses;
}

/** Combines the conditions of all clauses into one condition. */
export function whereOf({ conditions }: Clauses): { readonly where?: Condition } {
  return conditions.length === 0 ? {} : { where: allOf(conditions) };
}

function readClause(cursor: Cursor, clauses: Clauses): boolean {
  const { index } = cursor;
  if (isColumnAt(cursor) && clauses.conditions.length === 0 && clauses.columns.length === 0) {
    clauses.columns = readColumns(cursor);
    return true;
  }
  const length = isMeasured(cursor) ? 0 : tableLength(cursor);
  if (length > 0 || (isAt(cursor, index, nouns) && fieldAt(cursor) === undefined)) {
    cursor.index += Math.max(length, 1);
    clauses.isNamed = true;
    return true;
  }
  if (readTailPart(cursor, clauses.tail) || readGrouping(cursor, clauses)) return true;
  if (accept(cursor, alls)) {
    clauses.isAll = true;
    return true;
  }
  if (isConditionStart(cursor, clauses)) {
    clauses.conditions.push(parseCondition(cursor));
    return true;
  }
  return accept(cursor, articles) || acceptFiller(cursor) || acceptJoint(cursor);
}

/** Whether the next token is a field followed by a size comparison, such as `<field> over 5`. */
function isMeasured(cursor: Cursor): boolean {
  const { index } = cursor;
  const field = fieldAt(cursor);
  cursor.index += field?.length ?? 0;
  const verb = field === undefined ? undefined : readVerb(cursor, field.found);
  cursor.index = index;
  return verb !== undefined && !verb.isRange && sizes.has(verb.is);
}

const sizes = wordsOf('less at-most more at-least between');

function readGrouping(cursor: Cursor, clauses: Clauses): boolean {
  const start = cursor.index;
  if (acceptPhrase(cursor, groupings) === undefined) return false;
  if (
    fieldAt(cursor, afterArticles(cursor, cursor.index)) === undefined &&
    !isAt(cursor, start, sureGroupings)
  ) {
    cursor.index = start;
    return false;
  }
  const at = offsetOf(cursor, start);
  if (clauses.by !== undefined)
    throw faultAt(at, 'Records cannot be grouped by two fields.', 'Group by only one field.');
  cursor.index = afterArticles(cursor, cursor.index);
  clauses.by = readOrderField(cursor);
  if (isAt(cursor, start, eachGroupings)) clauses.isEach = true;
  return true;
}

const eachGroupings = wordsOf('per for');
const sureGroupings = wordsOf('by per grouped group');

/** Whether a description of records begins at the next token. */
function isConditionStart(cursor: Cursor, { isNamed }: Clauses): boolean {
  const { index } = cursor;
  if (isClauseAt(cursor, index) || isAt(cursor, index, nots)) return true;
  const next = isAt(cursor, index, beforeValues) ? afterBeings(cursor, index) : index;
  if (valuesAt(cursor, next) !== undefined) return true;
  if (fieldAt(cursor, next) !== undefined) return true;
  const isSpoken = isAt(cursor, index, beings) || isAt(cursor, index, certain);
  const isDenied = isAt(cursor, next, nots);
  if (isSpoken && isDenied && (fieldAt(cursor, next + 1) ?? valuesAt(cursor, next + 1)) !== undefined)
    return true;
  if (isNamed && isSpoken && next > index && !isAtEnd(cursor)) return isDenied || isClauseAt(cursor, next);
  return isFieldSign(cursor) || (isAt(cursor, index, opening) && isNamed);
}

const certain = wordsOf('where whose that which who');
const beforeValues = wordsOf('is are was were be that which who where in with has have');

const maxFillers = 6; // The maximum number of consecutive filler words.

function afterBeings(cursor: Cursor, index: number): number {
  let next = index;
  while (next - index < maxFillers && valuesAt(cursor, next) === undefined) {
    if (!isAt(cursor, next, beforeValues) && !isAt(cursor, next, articles)) break;
    next++;
  }
  return next;
}

/** Whether an operator follows the next word, which is then treated as a field name even if unknown. */
function isFieldSign(cursor: Cursor): boolean {
  return peek(cursor)?.kind === 'word' && isAt(cursor, cursor.index + 1, operators);
}

const operators = wordsOf('= != < <= > >=');

/** Moves past filler words, including prepositions before the table's name. */
function acceptFiller(cursor: Cursor): boolean {
  const { index } = cursor;
  const phrase = phraseAt(cursor, fillers);
  const next = afterTable(cursor, index + 1);
  const isBefore =
    isAt(cursor, index, beforeTable) &&
    (next > index + 1 || valuesAt(cursor, next) !== undefined || isTableNear(cursor, next));
  if (!isBefore && phrase === undefined) return false;
  cursor.index += phrase?.length ?? 1;
  return true;
}

const beforeTable = wordsOf('of from in for on over across among');
const fillers = buildPhrases<true>([
  true,
  'me|us|please|are there|is there|there are|do we have|do i have|exist|currently|now|only|field|fields|column|columns|showing',
]);

/** Moves past a comma or `and` if another clause follows. */
function acceptJoint(cursor: Cursor): boolean {
  const { index } = cursor;
  let next = index;
  if (isAt(cursor, next, comma)) next++;
  if (isAt(cursor, next, ands)) next++;
  const isFollowed =
    isTailAt(cursor, next) || isClauseAt(cursor, next) || phraseAt(cursor, groupings, next) !== undefined;
  if (next === index || !isFollowed) return false;
  cursor.index = next;
  return true;
}

function stray(cursor: Cursor): AgentError {
  const token = peek(cursor);
  if (token?.kind === 'sign') {
    return faultAt(
      token.start,
      `Unexpected ${quote(token.text)} in the request.`,
      'Put values that contain this symbol in quotes.',
    );
  }
  const isSmall = isAt(cursor, cursor.index, prepositions) || isAt(cursor, cursor.index, beforeValues);
  if (isSmall) return unclearFrom(cursor, cursor.index);
  return notClear(token?.text ?? '');
}
