import { quote, type AgentError } from '../../../core/index.ts';
import { allOf, type Condition } from '../../../engines/conditions/conditions.ts';
import type { Field } from '../table.ts';
import { readVerb } from './comparisons.ts';
import { parseCondition } from './conditions.ts';
import type { Cursor } from './cursor.ts';
import { grammar } from './grammar.ts';
import {
  acceptSeparator,
  afterArticles,
  afterTable,
  isClauseAt,
  isListedAt,
  isNounAt,
  isTableNear,
  isTailAt,
  unclearFrom,
  unclearWord,
} from './lookahead.ts';
import { readOrderField, readTailPart, type Tail } from './tail.ts';
import { unclearAt } from './verdict.ts';

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
  while (!cursor.isAtEnd() && !isEnd(cursor.index)) {
    if (!readClause(cursor, clauses)) throw stray(cursor);
  }
  return clauses;
}

/** Combines the conditions of all clauses into one condition. */
export function whereOf({ conditions }: Clauses): { readonly where?: Condition } {
  return conditions.length === 0 ? {} : { where: allOf(conditions) };
}

/** Returns the fields to show, if the clauses name any. */
export function fieldsOf(columns: readonly Field[]): { readonly fields?: readonly string[] } {
  return columns.length === 0 ? {} : { fields: columns.map(({ name }) => name) };
}

function readClause(cursor: Cursor, clauses: Clauses): boolean {
  if (isColumnAt(cursor) && clauses.conditions.length === 0 && clauses.columns.length === 0) {
    clauses.columns = readColumns(cursor);
    return true;
  }
  const length = isMeasured(cursor) ? 0 : cursor.table();
  if (length > 0 || (cursor.at(grammar.nouns) && cursor.field() === undefined)) {
    cursor.index += Math.max(length, 1);
    clauses.isNamed = true;
    return true;
  }
  if (readTailPart(cursor, clauses.tail) || readGrouping(cursor, clauses)) return true;
  if (cursor.accept(grammar.alls)) {
    clauses.isAll = true;
    return true;
  }
  if (isConditionStart(cursor, clauses)) {
    clauses.conditions.push(parseCondition(cursor));
    return true;
  }
  return cursor.accept(grammar.articles) === true || acceptFiller(cursor) || acceptJoint(cursor);
}

/** Whether the next token is a field followed by a size comparison, such as `<field> over 5`. */
function isMeasured(cursor: Cursor): boolean {
  const field = cursor.field();
  if (field === undefined) return false;
  const verb = cursor.ahead(cursor.index + field.length, () => readVerb(cursor, field.found));
  return verb !== undefined && !verb.isRange && /^(?:less|more|at-most|at-least|between)$/.test(verb.is);
}

function readGrouping(cursor: Cursor, clauses: Clauses): boolean {
  const { index } = cursor;
  const length = cursor.find(grammar.groupings)?.length ?? 0;
  const next = afterArticles(cursor, index + length);
  if (length === 0 || (cursor.field(next) === undefined && !cursor.at(grammar.sureGroupings))) return false;
  if (clauses.by !== undefined)
    throw cursor.fault('Records cannot be grouped by two fields.', 'Group by only one field.');
  if (cursor.at(grammar.eachGroupings)) clauses.isEach = true;
  cursor.index = next;
  clauses.by = readOrderField(cursor);
  return true;
}

/** Whether a description of records begins at the next token. */
function isConditionStart(cursor: Cursor, { isNamed }: Clauses): boolean {
  const { index } = cursor;
  if (isClauseAt(cursor, index) || cursor.at(grammar.negation)) return true;
  const next = cursor.at(grammar.beforeValue) ? afterBeings(cursor) : index;
  const isKnown = (at: number): boolean => (cursor.field(at) ?? cursor.described(at)) !== undefined;
  if (isKnown(next)) return true;
  const isSpoken = cursor.at(grammar.spokenStarts);
  const isDenied = cursor.at(grammar.negation, next);
  if (isSpoken && isDenied && isKnown(next + 1)) return true;
  if (isNamed && isSpoken && next > index && next < cursor.tokens.length)
    return isDenied || isClauseAt(cursor, next);
  // Treat the word before an operator as a field name, even if it is unknown.
  if (cursor.peek()?.kind === 'word' && cursor.at(grammar.operators, index + 1)) return true;
  return cursor.at(grammar.opening) && isNamed;
}

const maxFillers = 6; // The maximum number of consecutive filler words.

function afterBeings(cursor: Cursor): number {
  let next = cursor.index;
  while (next - cursor.index < maxFillers && cursor.values(next) === undefined) {
    if (!cursor.at(grammar.beforeValue, next) && !cursor.at(grammar.articles, next)) break;
    next++;
  }
  return next;
}

/** Moves past filler words, including prepositions before the table's name. */
function acceptFiller(cursor: Cursor): boolean {
  const phrase = cursor.find(grammar.listFillers);
  const next = afterTable(cursor, cursor.index + 1);
  const isBefore =
    cursor.at(grammar.beforeTable) &&
    (next > cursor.index + 1 || cursor.values(next) !== undefined || isTableNear(cursor, next));
  if (!isBefore && phrase === undefined) return false;
  cursor.index += phrase?.length ?? 1;
  return true;
}

/** Moves past a comma or `and` if another clause follows. */
function acceptJoint(cursor: Cursor): boolean {
  const read = (): boolean => {
    if (!acceptSeparator(cursor)) return false;
    const { index } = cursor;
    return isTailAt(cursor, index) || isClauseAt(cursor, index) || cursor.at(grammar.groupings);
  };
  return cursor.attempt(read) === true;
}

function stray(cursor: Cursor): AgentError {
  const token = cursor.peek();
  if (token?.kind === 'sign') {
    const message = `Unexpected ${quote(token.text)} in the request.`;
    return cursor.fault(message, 'Put values that contain this symbol in quotes.');
  }
  const isSmall = cursor.at(grammar.prepositions) || cursor.at(grammar.beforeValue);
  return isSmall ? unclearFrom(cursor) : unclearWord(cursor);
}

/**
 * Whether a token names a field to display rather than a field to use in a condition. After other fields, a
 * name that is also a listed value or an event, such as "shipped", is a field.
 */
export function isColumnAt(cursor: Cursor, isNext = false): boolean {
  const start = afterArticles(cursor);
  const field = cursor.field(start);
  if (field === undefined || (cursor.values(start)?.length ?? 0) > field.length) return false;
  if (!isNext && isListedAt(cursor, start)) return false;
  if (cursor.table(start) >= field.length) return false;
  const next = start + field.length;
  if (field.found.type === 'boolean' && isCondition(cursor, start, next)) return false;
  if (cursor.at(grammar.comma, next) || cursor.at(grammar.columnEnds, next)) return true;
  if (cursor.at(grammar.ands, next) && cursor.field(afterArticles(cursor, next + 1)) !== undefined)
    return true;
  if (!isNext && cursor.names.isEvent(cursor.text(start, next))) return false;
  if (next >= cursor.tokens.length || isTailAt(cursor, next) || isClauseAt(cursor, next)) return true;
  return isNounAt(cursor, next) || cursor.isStop(next);
}

/**
 * Whether a boolean field is used as a condition, as in `paid records`. Throws a question if this is
 * ambiguous.
 */
function isCondition(cursor: Cursor, start: number, next: number): boolean {
  if (isNounAt(cursor, next)) return true;
  const isFirst = start > 0 && !cursor.at(grammar.beforeColumns, start - 1);
  if (next < cursor.tokens.length || !isFirst || afterTable(cursor, start - 1) !== start - 1) return false;
  const [at, words] = [cursor.offset(start), cursor.text(start, next)];
  const text = `Do you want the records that are "${words}", or the field with that name?`;
  throw unclearAt(at, at + words.length, text, [`where ${words}`, `field ${words}`]);
}

/** Reads the fields to show, starting at the next token. */
export function readColumns(cursor: Cursor): readonly Field[] {
  const columns: Field[] = [];
  do {
    cursor.index = afterArticles(cursor);
    const field = cursor.field();
    if (field === undefined) break;
    if (columns.includes(field.found))
      throw cursor.fault(`"${field.found.name}" is named twice.`, 'Name it once.');
    columns.push(field.found);
    cursor.index += field.length;
  } while (cursor.attempt(() => acceptSeparator(cursor) && isColumnAt(cursor, true)));
  return columns;
}
