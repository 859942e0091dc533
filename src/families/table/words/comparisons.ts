import type { Json } from '../../../core/index.ts';
import {
  allOf,
  anyOf,
  negate,
  negateAny,
  type Comparison,
  type Condition,
} from '../../../engines/conditions/conditions.ts';
import type { Period } from '../../../engines/values/periods.ts';
import { buildComparison, buildSpan } from '../request/build-comparison.ts';
import { labelOf, type Field } from '../table.ts';
import type { Cursor } from './cursor.ts';
import { grammar } from './grammar.ts';
import { isConditionAt, isPartEndAt } from './lookahead.ts';
import { faultOf, hintFor, readOperand, unclosed, type Operand } from './operands.ts';
import { readPeriod } from './lookahead.ts';
import { faultAt } from './verdict.ts';

/** A comparison as expressed by a verb or symbol. */
export interface Verb {
  readonly is: Comparison;
  readonly isNegated: boolean;
  /** Whether the comparison is `is` or implied, and can be followed by a value, a date or `empty`. */
  readonly isPlain: boolean;
  /** Whether the phrase begins with `from`, which is a comparison only when followed by `to`. */
  readonly isRange: boolean;
}

const plainVerb: Verb = { is: 'equals', isNegated: false, isPlain: true, isRange: false };

/**
 * Reads the comparison at the next token and moves past it. Returns undefined if there is none; a listed
 * value of the field is not a comparison.
 */
export function readVerb(cursor: Cursor, field?: Field): Verb | undefined {
  return cursor.attempt((): Verb | undefined => {
    const sign = cursor.accept(grammar.symbols);
    if (sign !== undefined) return { ...plainVerb, is: sign, isPlain: sign === 'equals' };
    const support = cursor.accept(grammar.supports);
    const idiom = support === 'does' ? undefined : cursor.accept(grammar.idioms);
    if (idiom !== undefined) return { ...plainVerb, is: idiom, isNegated: support === 'not', isPlain: false };
    const isDenied = cursor.accept(grammar.negation) !== undefined;
    const isNegated = support === 'not' || isDenied;
    const isValue = cursor.values()?.found.some((one) => one.field === field) === true;
    const said = isValue ? undefined : cursor.accept(grammar.comparisonPhrases);
    if (said === 'range') return { is: 'between', isNegated, isPlain: false, isRange: true };
    if (said !== undefined) return { ...plainVerb, is: said, isNegated, isPlain: false };
    if (support === 'does' || (support === undefined && !isDenied)) return undefined;
    return { ...plainVerb, isNegated };
  });
}

/** Reads the value that follows a field and its verb. If there is no verb, assumes `is`. */
export function readComparison(cursor: Cursor, field: Field, verb: Verb = plainVerb): Condition {
  const { is, isNegated, isRange } = verb;
  const condition = is === 'between' ? readBetween(cursor, field, isRange) : readCompared(cursor, field, is);
  return isNegated ? negate(condition) : condition;
}

function readCompared(cursor: Cursor, field: Field, is: Comparison): Condition {
  if (is === 'empty' || is === 'not-empty') return build(cursor, field, is, undefined, cursor.offset());
  const isList = is === 'in' || is === 'not-in';
  const first = readValues(cursor, field, isList);
  const [only, ...others] = first.values;
  const isOne = !first.isBracketed && only !== undefined && others.length === 0;
  const open = is === 'equals' && isOne ? cursor.accept(grammar.openEnds) : undefined;
  if (open !== undefined && only !== undefined) return compare(cursor, field, open, only);
  if (!isList && is !== 'equals' && is !== 'not-equals') {
    if (isOne) return compare(cursor, field, is, only);
    const message = `"${labelOf(field)}" cannot be compared with a list in this way.`;
    throw cursor.fault(message, 'Use one value.', cursor.index - 1);
  }
  const values = isOne ? readMore(cursor, field, only) : first.values;
  const condition = sameAsAny(cursor, field, values, isList && !isMoment(field));
  return is === 'not-in' || is === 'not-equals' ? negateAny(condition) : condition;
}

type One = Operand | { readonly period: Period; readonly at: number };

interface Values {
  readonly values: readonly One[];
  readonly isBracketed: boolean;
}

/** Reads one value, or several in brackets. */
function readValues(cursor: Cursor, field: Field, isInList: boolean): Values {
  const at = cursor.index;
  if (field.type === 'array' || !cursor.accept(grammar.opening))
    return { values: [readOne(cursor, field, isInList)], isBracketed: false };
  const values: One[] = [];
  while (!cursor.accept(grammar.closing)) {
    if (cursor.isAtEnd()) throw unclosed(cursor, at);
    values.push(checked(cursor, field, readOne(cursor, field, true)));
    if (cursor.accept(grammar.itemSeparators)) cursor.accept(grammar.itemSeparators);
    else if (!cursor.at(grammar.closing)) throw unclosed(cursor, at);
  }
  if (values.length === 0)
    throw cursor.fault('The list is empty.', 'Add values to it, separated by commas.', at);
  return { values, isBracketed: true };
}

function readOne(cursor: Cursor, field: Field, isInList: boolean): One {
  const at = cursor.offset();
  const isListed = cursor.values()?.found.some((one) => one.field === field) === true;
  const period = isMoment(field) && !isListed ? readPeriod(cursor) : undefined;
  return period === undefined ? readOperand(cursor, field, isInList) : { period, at };
}

function isMoment({ type }: Field): boolean {
  return type === 'date' || type === 'datetime';
}

/** Reads `a, b or c`, until another comparison or part of the request begins. */
function readMore(cursor: Cursor, field: Field, first: One): readonly One[] {
  const values = [checked(cursor, field, first)];
  while (
    cursor.attempt(() => {
      const hasComma = cursor.accept(grammar.comma);
      if ((cursor.accept(grammar.betweenValues) ?? hasComma) === undefined) return undefined;
      const isEnd = isPartEndAt(cursor) || cursor.at(grammar.negation) || cursor.at(grammar.ands);
      return isEnd || isConditionAt(cursor, field, cursor.index) ? undefined : true;
    })
  )
    for (const one of readValues(cursor, field, true).values) values.push(checked(cursor, field, one));
  return values;
}

/** Checks a value. If it is invalid, throws a fault that includes the value's position. */
function checked(cursor: Cursor, field: Field, value: One): One {
  compare(cursor, field, 'equals', value);
  return value;
}

function readBetween(cursor: Cursor, field: Field, isRange: boolean): Condition {
  const at = cursor.offset();
  const joints = isRange ? grammar.rangeJoints : grammar.betweenJoints;
  const read = (): One => {
    const { values, isBracketed } = readValues(cursor, field, false);
    const [value] = values;
    if (value !== undefined && !isBracketed) return value;
    const message = `"${labelOf(field)}" cannot be compared with a list in this way.`;
    throw cursor.fault(message, 'Use one value.', cursor.index - 1);
  };
  const low = cursor.until((index) => cursor.at(joints, index), read);
  if (!cursor.accept(joints)) {
    const hint = `Add "${isRange ? 'to' : 'and'}" and the second value.`;
    throw cursor.fault(`The second value for "${labelOf(field)}" is missing.`, hint);
  }
  const high = read();
  if ('raw' in low && 'raw' in high) return build(cursor, field, 'between', [low.raw, high.raw], at);
  return allOf([compare(cursor, field, 'at-least', low), compare(cursor, field, 'at-most', high)]);
}

function compare(cursor: Cursor, field: Field, is: Comparison, value: One): Condition {
  if ('raw' in value) return build(cursor, field, is, value.raw, value.at);
  const { period } = value;
  if ('first' in period) return buildSpan(field, is, period, cursor.clock);
  const [from, to] = [period.from, period.to].map((one) => new Date(one).toISOString());
  if (field.type === 'date')
    throw faultAt(value.at, `"${labelOf(field)}" is a date without a time.`, 'Use days.');
  if (is === 'equals') return build(cursor, field, 'between', [from ?? '', to ?? ''], value.at);
  return build(cursor, field, is, (is === 'less' || is === 'at-least' ? from : to) ?? '', value.at);
}

function sameAsAny(cursor: Cursor, field: Field, values: readonly One[], isList: boolean): Condition {
  const [first, ...others] = values;
  if (!isList && first !== undefined && others.length === 0) return compare(cursor, field, 'equals', first);
  if (!isList && !values.every((value) => 'raw' in value))
    return anyOf(values.map((value) => compare(cursor, field, 'equals', value)));
  const raws = values.map((value) => ('raw' in value ? value.raw : null));
  return build(cursor, field, 'in', raws, first?.at ?? 0);
}

function build(cursor: Cursor, field: Field, is: Comparison, given: Json | undefined, at: number): Condition {
  const built = buildComparison(field, is, given, cursor.clock);
  if ('condition' in built) return built.condition;
  const raw = given ?? null;
  throw faultOf(field, { raw, at }, built.fault, built.hint ?? hintFor(field, raw));
}
