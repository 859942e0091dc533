import type { AgentError } from '../../../core/index.ts';
import type { WordToken } from '../../../engines/phrases/tokens.ts';
import { monthNumber } from '../../../engines/values/calendar.ts';
import { numberWord } from '../../../engines/values/numbers.ts';
import {
  calendarPeriod,
  countedPeriod,
  shiftedPeriod,
  type Period,
} from '../../../engines/values/periods.ts';
import type { Field } from '../table.ts';
import type { Cursor } from './cursor.ts';
import { grammar } from './grammar.ts';
import { notClear } from './verdict.ts';

const maxArticles = 3; // The maximum number of consecutive articles.

/** Returns the index of the first token, from `index` on, that is not an article. */
export function afterArticles(cursor: Cursor, index = cursor.index): number {
  let next = index;
  while (next - index < maxArticles && cursor.at(grammar.articles, next)) next++;
  return next;
}

/** Moves past a comma, a conjunction or both. Returns whether there was one. */
export function acceptSeparator(cursor: Cursor): boolean {
  const hasComma = cursor.accept(grammar.comma) === true;
  return cursor.accept(grammar.ands) === true || hasComma;
}

/** Skips the table's name, articles, and words such as "all" and "records". Returns the next index. */
export function afterTable(cursor: Cursor, index = cursor.index): number {
  let next = index;
  while (true) {
    const length = cursor.table(next);
    if (length > 0) next += length;
    else if (cursor.at(grammar.aroundTable, next) && cursor.field(next) === undefined) next++;
    else return next;
  }
}

/** Whether a noun for records is at a token: the table's name, or a word such as "records". */
export function isNounAt(cursor: Cursor, index = cursor.index): boolean {
  return cursor.table(index) > 0 || cursor.at(grammar.nouns, index);
}

/** Whether the table's name begins at a token, optionally after a listed value, a boolean field or an event. */
export function isTableNear(cursor: Cursor, start: number): boolean {
  const index = cursor.at(grammar.negation, start) ? start + 1 : start;
  if (index === start && cursor.table(index) > 0) return true;
  const value = cursor.described(index);
  const field = cursor.field(value === undefined ? index : index + value.length);
  if (value === undefined) {
    const next = index + (field?.length ?? 0);
    const isKind = field?.found.type === 'boolean' || cursor.names.isEvent(cursor.text(index, next));
    return isKind && next > index && cursor.table(next) > 0;
  }
  const isNamed = value.found.some((one) => one.field === field?.found);
  return cursor.table(index + value.length + (isNamed ? (field?.length ?? 0) : 0)) > 0;
}

/**
 * Whether a listed value is at a token, rather than a field. A value takes precedence over a name that is only
 * derived from a field's name: "delivered orders" have the status, and do not show the field "delivered_on".
 */
export function isListedAt(cursor: Cursor, index = cursor.index): boolean {
  const [field, values] = [cursor.field(index)?.length ?? 0, cursor.values(index)?.length ?? 0];
  if (values !== field) return values > field;
  return values > 0 && cursor.names.isDerived(cursor.text(index, index + field));
}

/** Whether words that sort, limit or group a list clearly begin at a token. */
export function isTailAt(cursor: Cursor, index: number): boolean {
  if (cursor.at(grammar.orderings, index) || cursor.at(grammar.ages, index)) return true;
  if (cursor.at(grammar.sureWindows, index)) {
    const next = cursor.tokens[index + 1]?.low === 'to' ? index + 2 : index + 1;
    return isNumber(cursor.tokens[next]);
  }
  const grouping = cursor.find(grammar.groupings, index);
  return grouping !== undefined && cursor.field(index + grouping.length) !== undefined;
}

/**
 * Whether part of a request ends before a token: at the end of the text, a closing bracket, a separator, or
 * words that sort, limit or group a list.
 */
export function isPartEndAt(cursor: Cursor, index = cursor.index): boolean {
  return (
    index >= cursor.tokens.length ||
    cursor.at(grammar.closing, index) ||
    cursor.at(grammar.separators, index) ||
    isTailAt(cursor, index)
  );
}

/** Whether a clause about records begins at a token, such as `where …`, `in <field> …` or `without …`. */
export function isClauseAt(cursor: Cursor, index: number): boolean {
  if (cursor.at(grammar.sureStart, index)) return true;
  const next = afterArticles(cursor, index + 1);
  if (cursor.at(grammar.clauseAbsence, index)) return cursor.field(next) !== undefined;
  const isIntroduced = cursor.at(grammar.introducers, index);
  if (!isIntroduced && !cursor.at(grammar.prepositions, index)) return false;
  return (isIntroduced && cursor.at(grammar.predicates, next)) || cursor.field(next) !== undefined;
}

/** Whether a new comparison begins at a token, rather than another value for the previous field. */
export function isConditionAt(cursor: Cursor, field: Field, index: number): boolean {
  const value = cursor.values(index);
  if (value?.found.some((one) => one.field === field) === true) return false;
  if (cursor.at(grammar.opening, index) || isClauseAt(cursor, index)) return true;
  return cursor.field(index) !== undefined || (value !== undefined && field.values !== undefined);
}

/** Returns the error for unclear text from the next token to the end. */
export function unclearFrom(cursor: Cursor): AgentError {
  let next = cursor.index;
  while (cursor.at(grammar.beforeComparison, next) || cursor.at(grammar.doings, next)) next++;
  return notClear(cursor.text(cursor.index), unknownSpan(cursor, next));
}

/** Returns the error for a word that has no meaning in its position. */
export function unclearWord(cursor: Cursor): AgentError {
  return notClear(cursor.peek()?.text ?? '', unknownSpan(cursor, cursor.index));
}

/** Returns the position of the unknown words that begin at a token. */
function unknownSpan(
  cursor: Cursor,
  index: number,
): { readonly at: number; readonly end: number } | undefined {
  const token = cursor.tokens[index];
  if (token === undefined || token.kind === 'sign') return undefined;
  let next = index + 1;
  while (isUnknownWord(cursor, next)) next++;
  return { at: token.start, end: cursor.tokens[next - 1]?.end ?? token.end };
}

function isUnknownWord(cursor: Cursor, index: number): boolean {
  const token = cursor.tokens[index];
  if (token?.kind !== 'word' || isPartEndAt(cursor, index) || isNounAt(cursor, index)) return false;
  if (
    [grammar.beforeComparison, grammar.valueBreaks, grammar.ases, grammar.tos].some((one) =>
      cursor.at(one, index),
    )
  )
    return false;
  return !cursor.names.isKnown(token.text);
}

/**
 * Reads a period such as a month, a quarter, a year, `this week` or `the last 7 days` at the next token and
 * moves past it. Weeks begin on Monday.
 */
export function readPeriod(cursor: Cursor): Period | undefined {
  return cursor.attempt(() => {
    cursor.skip(grammar.periodLeads);
    return readCalendar(cursor) ?? readShifted(cursor);
  });
}

function readCalendar(cursor: Cursor): Period | undefined {
  const [first, second] = [cursor.peek(), cursor.peek(1)];
  if (first?.kind !== 'word') return undefined;
  const long = calendarPeriod(`${first.low} ${second?.low ?? ''}`);
  // A year before a month is the end of a date, as in "3 2026 May".
  const isYear =
    /^\d{4}$/.test(first.low) && second?.kind === 'word' && monthNumber(second.low) !== undefined;
  const period = long ?? (isYear ? undefined : calendarPeriod(first.low));
  if (period !== undefined) cursor.index += long === undefined ? 1 : 2;
  return period;
}

function readShifted(cursor: Cursor): Period | undefined {
  const shift = Number(cursor.accept(grammar.shifts) ?? Number.NaN);
  if (Number.isNaN(shift)) return undefined;
  const isCounted = isNumber(cursor.peek());
  if (isCounted && shift === 0) return undefined;
  const count = isCounted ? (readNumber(cursor) ?? 0) : undefined;
  const unit = cursor.accept(grammar.units);
  if (unit === undefined) return undefined;
  return count === undefined
    ? shiftedPeriod(cursor.clock, unit, shift)
    : countedPeriod(cursor.clock, count, unit, shift);
}

/** Whether a token is a number, written in digits or as a word. */
export function isNumber(token: WordToken | undefined): boolean {
  return token?.kind === 'word' && (/^[-+]?\d/.test(token.low) || numberWord(token.low) !== undefined);
}

/** Reads the next token as an integer. Returns NaN for any other token and undefined at the end. */
export function readNumber(cursor: Cursor): number | undefined {
  const token = cursor.peek();
  if (token === undefined) return undefined;
  cursor.index++;
  if (token.kind === 'sign') return Number.NaN;
  const value = /^[-+]?\d{1,15}$/.test(token.text)
    ? Number(token.text)
    : (numberWord(token.low) ?? Number.NaN);
  const rest = /^(?:,\d{3})+(?!\d)/.exec(cursor.words.slice(token.end, token.end + 20))?.[0];
  if (rest === undefined || !/^\d{1,3}$/.test(token.text)) return value;
  cursor.index += rest.split(',').length * 2 - 2;
  return Number(`${token.text}${rest.replaceAll(',', '')}`);
}
