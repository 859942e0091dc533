import { labelOf } from '../../show/label-of.ts';
import type { Json } from '../../../../core/index.ts';
import { buildComparison } from '../../request/build-comparison.ts';
import { buildSpan } from '../../request/build-span.ts';
import { allOf, anyOf, negate, negateAny } from '../../request/join-conditions.ts';
import type { Comparison, Condition } from '../../request/request.ts';
import type { Field } from '../../table.ts';
import { accept, isAt, peek, offsetOf, valuesAt, type Cursor } from '../cursor.ts';
import { isConditionAt, isPartEndAt } from './condition-start.ts';
import { acceptPhrase, buildPhrases } from '../phrases.ts';
import { faultOf, hintFor, readOperand, unclosed, type Operand } from './read-operand.ts';
import { readPeriod, type Period } from './read-period.ts';
import { faultAt } from '../stop.ts';
import type { Verb } from '../read-verb.ts';
import { ands, closing, comma, nots, opening, wordsOf } from '../vocabulary.ts';

/** Reads the value that follows a field and its verb. If there is no verb, assumes `is`. */
export function readComparison(cursor: Cursor, field: Field, verb: Verb | undefined): Condition {
  const { is, isNegated, isRange } = verb ?? plainVerb;
  const condition = is === 'between' ? readBetween(cursor, field, isRange) : readCompared(cursor, field, is);
  return isNegated ? negate(condition) : condition;
}

const plainVerb: Verb = { is: 'equals', isNegated: false, isPlain: true, isRange: false };

function readCompared(cursor: Cursor, field: Field, is: Comparison): Condition {
  const at = offsetOf(cursor, cursor.index);
  if (is === 'empty' || is === 'not-empty') return build(cursor, field, is, undefined, at);
  const first = readOne(cursor, field, isList(is));
  const open = is === 'equals' && !isMany(first) ? acceptPhrase(cursor, openEnded) : undefined;
  if (open !== undefined) return compare(cursor, field, open, first);
  if (!isList(is) && is !== 'equals' && is !== 'not-equals') return compare(cursor, field, is, first);
  const isNegative = is === 'not-in' || is === 'not-equals';
  const values = readMore(cursor, field, first);
  const condition =
    isList(is) && !isMoment(field) ? among(cursor, field, values) : sameAsAny(cursor, field, values);
  return isNegative ? negateAny(condition) : condition;
}

const openEnded = buildPhrases<Comparison>(
  ['at-least', 'or more|or higher|or above|or over|or later|or after|and more|and up|and above|and later'],
  [
    'at-most',
    'or less|or fewer|or lower|or below|or under|or earlier|or before|and less|and below|and earlier',
  ],
);

type One = Operand | { readonly period: Period; readonly at: number };

function readOne(cursor: Cursor, field: Field, isInList: boolean): One | readonly One[] {
  const isBracket = field.type !== 'array' && isAt(cursor, cursor.index, opening);
  return isBracket ? readBracketed(cursor, field) : readSingle(cursor, field, isInList);
}

function readSingle(cursor: Cursor, field: Field, isInList: boolean): One {
  const at = offsetOf(cursor, cursor.index);
  const isListed = valuesAt(cursor)?.found.some((one) => one.field === field) === true;
  const period = isMoment(field) && !isListed ? readPeriod(cursor) : undefined;
  return period === undefined ? readOperand(cursor, field, isInList) : { period, at };
}

function isMoment({ type }: Field): boolean {
  return type === 'date' || type === 'datetime';
}

function isList(is: Comparison): boolean {
  return is === 'in' || is === 'not-in';
}

/** Reads `a, b or c`, until another comparison or part of the request begins. */
function readMore(cursor: Cursor, field: Field, first: One | readonly One[]): readonly One[] {
  if (isMany(first)) return first;
  const values = [checked(cursor, field, first)];
  while (true) {
    const start = cursor.index;
    const hasComma = accept(cursor, comma);
    const hasConjunction = accept(cursor, betweenValues);
    const next = cursor.index;
    const isEnd = isPartEndAt(cursor, next) || isAt(cursor, next, nots) || isAt(cursor, next, ands);
    if ((!hasComma && !hasConjunction) || isEnd || isConditionAt(cursor, field, next)) {
      cursor.index = start;
      return values;
    }
    const value = readOne(cursor, field, true);
    for (const one of isMany(value) ? value : [value]) values.push(checked(cursor, field, one));
  }
}

const betweenValues = wordsOf('or nor');

/** Checks a value. If it is invalid, throws a fault that includes the value's position. */
function checked(cursor: Cursor, field: Field, value: One): One {
  compare(cursor, field, 'equals', value);
  return value;
}

function isMany(value: One | readonly One[]): value is readonly One[] {
  return Array.isArray(value);
}

function readBracketed(cursor: Cursor, field: Field): readonly One[] {
  const at = offsetOf(cursor, cursor.index);
  const values: One[] = [];
  cursor.index++;
  while (!accept(cursor, closing)) {
    if (peek(cursor) === undefined) throw unclosed(at);
    values.push(checked(cursor, field, readSingle(cursor, field, true)));
    const isSeparated = accept(cursor, itemSeparators);
    if (isSeparated) accept(cursor, itemSeparators);
    else if (!isAt(cursor, cursor.index, closing)) throw unclosed(at);
  }
  if (values.length === 0) throw faultAt(at, 'The list is empty.', 'Add values to it, separated by commas.');
  return values;
}

const itemSeparators = wordsOf(', ; or and');

function readBetween(cursor: Cursor, field: Field, isRange: boolean): Condition {
  const { isStop } = cursor;
  const at = offsetOf(cursor, cursor.index);
  const joints = isRange ? wordsOf('to until till -') : wordsOf('and to -');
  cursor.isStop = (index) => isAt(cursor, index, joints) || isStop(index);
  const low = readOne(cursor, field, false);
  cursor.isStop = isStop;
  if (!accept(cursor, joints)) {
    const conjunction = isRange ? 'to' : 'and';
    throw faultAt(
      offsetOf(cursor, cursor.index),
      `The second value for "${labelOf(field)}" is missing.`,
      `Add "${conjunction}" and the second value.`,
    );
  }
  const high = readOne(cursor, field, false);
  if ('raw' in low && 'raw' in high) return build(cursor, field, 'between', [low.raw, high.raw], at);
  return allOf([compare(cursor, field, 'at-least', low), compare(cursor, field, 'at-most', high)]);
}

function compare(cursor: Cursor, field: Field, is: Comparison, value: One | readonly One[]): Condition {
  if (isMany(value)) {
    const at = offsetOf(cursor, cursor.index - 1);
    throw faultAt(at, `"${labelOf(field)}" cannot be compared with a list in this way.`, 'Use one value.');
  }
  if ('raw' in value) return build(cursor, field, is, value.raw, value.at);
  const { period } = value;
  if ('first' in period) return buildSpan(field, is, period, cursor.clock);
  const [from, to] = [period.from, period.to].map((one) => new Date(one).toISOString());
  if (field.type === 'date')
    throw faultAt(value.at, `"${labelOf(field)}" is a date without a time.`, 'Use days.');
  if (is === 'equals') return build(cursor, field, 'between', [from ?? '', to ?? ''], value.at);
  return build(cursor, field, is, (is === 'less' || is === 'at-least' ? from : to) ?? '', value.at);
}

function sameAsAny(cursor: Cursor, field: Field, values: readonly One[]): Condition {
  const [first, ...others] = values;
  if (first !== undefined && others.length === 0) return compare(cursor, field, 'equals', first);
  if (values.every((value) => 'raw' in value)) return among(cursor, field, values);
  return anyOf(values.map((value) => compare(cursor, field, 'equals', value)));
}

function among(cursor: Cursor, field: Field, values: readonly One[]): Condition {
  const raws = values.map((value) => ('raw' in value ? value.raw : null));
  return build(cursor, field, 'in', raws, values[0]?.at ?? 0);
}

function build(cursor: Cursor, field: Field, is: Comparison, given: Json | undefined, at: number): Condition {
  const built = buildComparison(field, is, given, cursor.clock);
  if ('condition' in built) return built.condition;
  const raw = given ?? null;
  throw faultOf(field, { raw, at }, built.fault, built.hint ?? hintFor(field, raw));
}
