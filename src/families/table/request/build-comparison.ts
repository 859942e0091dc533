import type { Json } from '../../../core/index.ts';
import { labelOf } from '../show/text.ts';
import type { TableClock, Field } from '../table.ts';
import { isoDay } from '../values/calendar.ts';
import { quote } from '../values/quote.ts';
import { readDay } from '../values/dates.ts';
import { isStorable } from '../values/value-types.ts';
import { readValue } from '../values/value-types.ts';
import { startOfDay } from '../values/calendar.ts';
import { compareValues } from './matches.ts';
import { comparisonsOf } from './comparisons-of.ts';
import { anyOf, negate, negateAny } from './conditions.ts';
import type { Comparison, Condition } from './request.ts';

/** A condition, or a sentence that explains why it is invalid. */
type ConditionBuilt = { readonly condition: Condition } | { readonly fault: string; readonly hint?: string };

/**
 * Builds a comparison of a field with a value. Null means no value. For a timestamp field, a date means the
 * whole day.
 */
export function buildComparison(
  field: Field,
  is: Comparison,
  given: Json | undefined,
  clock: TableClock,
): ConditionBuilt {
  const label = labelOf(field);
  const isNull = given === null || given === '';
  if (isNull && is === 'equals') return { condition: { field: field.name, is: 'empty' } };
  if (isNull && is === 'not-equals') return { condition: { field: field.name, is: 'not-empty' } };
  if (!comparisonsOf(field.type).includes(is)) {
    const hint = `Use one of these comparisons: ${comparisonsOf(field.type).join(', ')}.`;
    return {
      fault: `"${label}" does not support the comparison "${is}" because its type is ${field.type}.`,
      hint,
    };
  }
  if (is === 'empty' || is === 'not-empty') {
    return given === undefined || given === null
      ? { condition: { field: field.name, is } }
      : { fault: `"${label}" does not take a value for the comparison "${is}".` };
  }
  if (is === 'in' || is === 'not-in') return buildAmong(field, is, given, clock);
  if (is === 'between') return buildBetween(field, given, clock);
  if (partly.has(is)) return buildPart(field, is, given);
  return buildOne(field, is, given ?? null, clock);
}

const partly: ReadonlySet<Comparison> = new Set(['contains', 'not-contains', 'starts-with', 'ends-with']);

function buildPart(field: Field, is: Comparison, given: Json | undefined): ConditionBuilt {
  const value = typeof given === 'number' || typeof given === 'boolean' ? String(given) : given;
  if (typeof value === 'string' && !isStorable(value))
    return { fault: `"${labelOf(field)}" has a value with characters that databases cannot store.` };
  if (typeof value === 'string' && value !== '') return { condition: { field: field.name, is, value } };
  return { fault: `"${labelOf(field)}" needs text for the comparison "${is}".` };
}

function buildOne(field: Field, is: Comparison, given: Json, clock: TableClock): ConditionBuilt {
  const span = spanIn(field, given, clock);
  if (span !== undefined) return { condition: buildSpan(field, is, span, clock) };
  const read = readValue(field, given, clock);
  if ('fault' in read) return read;
  if (read.value !== null) return { condition: { field: field.name, is, value: read.value } };
  if (is === 'equals') return { condition: { field: field.name, is: 'empty' } };
  if (is === 'not-equals') return { condition: { field: field.name, is: 'not-empty' } };
  return { fault: `"${labelOf(field)}" needs a value for the comparison "${is}".` };
}

/** Returns the day range covered by a date-only value of a timestamp field. */
function spanIn(field: Field, given: Json, clock: TableClock): DaySpan | undefined {
  if (field.type !== 'datetime' || typeof given !== 'string') return undefined;
  const read = readDay(given, clock);
  return 'day' in read ? { first: read.day, last: read.day } : undefined;
}

function buildAmong(
  field: Field,
  is: 'in' | 'not-in',
  given: Json | undefined,
  clock: TableClock,
): ConditionBuilt {
  const items: readonly Json[] = Array.isArray(given) ? given : [];
  if (items.length === 0) return { fault: `"${labelOf(field)}" needs a list for the comparison "${is}".` };
  const values: Json[] = [];
  const others: Condition[] = [];
  for (const item of items) {
    const built = buildOne(field, 'equals', item, clock);
    if ('fault' in built) return built;
    const { condition } = built;
    if ('field' in condition && condition.is === 'equals') values.push(condition.value ?? null);
    else others.push(condition);
  }
  const distinct = [...new Set(values)];
  const listed: readonly Condition[] =
    distinct.length === 0 ? [] : [{ field: field.name, is: 'in', value: distinct }];
  const condition = anyOf([...listed, ...others]);
  return { condition: is === 'in' ? condition : negateAny(condition) };
}

function buildBetween(field: Field, given: Json | undefined, clock: TableClock): ConditionBuilt {
  const [low, high, ...rest] = Array.isArray(given) ? (given as readonly Json[]) : [];
  if (low === undefined || high === undefined || rest.length > 0) {
    return { fault: `"${labelOf(field)}" needs two values for the comparison "between".` };
  }
  const bounds = [buildOne(field, 'at-least', low, clock), buildOne(field, 'at-most', high, clock)] as const;
  for (const bound of bounds) if ('fault' in bound) return bound;
  const [from, to] = bounds.map((bound) =>
    'condition' in bound && 'field' in bound.condition ? bound.condition : undefined,
  );
  if (from === undefined || to === undefined)
    return { fault: `"${labelOf(field)}" cannot be compared with a range.` };
  if (compareValues(field, from.value ?? null, to.value ?? null) > 0) {
    return {
      fault: `"${labelOf(field)}" cannot be between ${quote(low)} and ${quote(high)}: the first value is greater than the second.`,
      hint: 'Put the smaller value first.',
    };
  }
  const isPlain = from.is === 'at-least' && to.is === 'at-most';
  if (!isPlain) return { condition: { all: [from, to] } };
  return { condition: { field: field.name, is: 'between', value: [from.value ?? null, to.value ?? null] } };
}

/** A range of whole days in the clock's time zone, inclusive at both ends. */
export interface DaySpan {
  readonly first: number;
  readonly last: number;
}

/**
 * Compares a date or timestamp field with a range of whole days. Both `between` and `equals` match values
 * within the range.
 */
export function buildSpan(
  { name, type }: Field,
  is: Comparison,
  { first, last }: DaySpan,
  clock: TableClock,
): Condition {
  const leaf = (comparison: Comparison, value: Json): Condition => ({ field: name, is: comparison, value });
  const isDate = type === 'date';
  const from = isDate ? (isoDay(first) ?? earliestDay) : instant(startOfDay(first, clock.zone), earliest);
  const to = isDate ? (isoDay(last) ?? latestDay) : instant(startOfDay(last + 1, clock.zone), latest);
  switch (is) {
    case 'less':
    case 'at-least':
      return leaf(is, from);
    case 'at-most':
      return leaf(isDate ? is : 'less', to);
    case 'more':
      return leaf(isDate ? is : 'at-least', to);
    case 'not-equals':
    case 'not-in':
      return negate(within());
    default:
      return within();
  }

  function within(): Condition {
    if (!isDate) return { all: [leaf('at-least', from), leaf('less', to)] };
    return from === to ? leaf('equals', from) : leaf('between', [from, to]);
  }
}

function instant(milliseconds: number, limit: string): string {
  const value = new Date(milliseconds).toISOString();
  return /^(?!0000)\d{4}-/.test(value) ? value : limit;
}

const earliestDay = '0001-01-01';
const latestDay = '9999-12-31';
const earliest = '0001-01-01T00:00:00.000Z';
const latest = '9999-12-31T23:59:59.999Z';
