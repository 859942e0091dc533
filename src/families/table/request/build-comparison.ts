import { quote, type Json } from '../../../core/index.ts';
import {
  anyOf,
  comparisonsOf,
  negate,
  negateAny,
  type Comparison,
  type Condition,
} from '../../../engines/conditions/conditions.ts';
import { compareValues } from '../../../engines/conditions/matches.ts';
import { isoDay, startOfDay, type LocalClock } from '../../../engines/values/calendar.ts';
import { readDay } from '../../../engines/values/dates.ts';
import type { DaySpan } from '../../../engines/values/periods.ts';
import { isStorable } from '../../../engines/values/types.ts';
import { readValue } from '../read-value.ts';
import { labelOf, type Field } from '../table.ts';

/** A condition, or a sentence that explains why it is invalid. */
type ConditionBuilt = { readonly condition: Condition } | { readonly fault: string; readonly hint?: string };

/**
 * Builds a comparison of a field with a value, for requests in words, from programs and from models. Null
 * means no value. For a timestamp field, a date means the whole day.
 */
export function buildComparison(
  field: Field,
  is: Comparison,
  given: Json | undefined,
  clock: LocalClock,
): ConditionBuilt {
  const { name, type } = field;
  const bad = (fault: string): ConditionBuilt => ({ fault: `"${labelOf(field)}" ${fault}` });
  const allowed = comparisonsOf(type);
  if (given === null || given === '') {
    if (is === 'equals') return { condition: { field: name, is: 'empty' } };
    if (is === 'not-equals') return { condition: { field: name, is: 'not-empty' } };
  }
  if (!allowed.includes(is)) {
    const hint = `Use one of these comparisons: ${allowed.join(', ')}.`;
    return { ...bad(`does not support the comparison "${is}" because its type is ${type}.`), hint };
  }
  switch (is) {
    case 'empty':
    case 'not-empty':
      if (given === undefined || given === null) return { condition: { field: name, is } };
      return bad(`does not take a value for the comparison "${is}".`);
    case 'in':
    case 'not-in':
      if (!Array.isArray(given) || given.length === 0) return bad(`needs a list for the comparison "${is}".`);
      return buildAmong(field, is, given, clock);
    case 'between':
      return buildBetween(field, given, clock);
    case 'contains':
    case 'not-contains':
    case 'starts-with':
    case 'ends-with': {
      const value = typeof given === 'number' || typeof given === 'boolean' ? String(given) : given;
      if (typeof value !== 'string' || value === '') return bad(`needs text for the comparison "${is}".`);
      if (!isStorable(value)) return bad('has a value with characters that databases cannot store.');
      return { condition: { field: name, is, value } };
    }
    default:
      return buildOne(field, is, given ?? null, clock);
  }
}

function buildOne(field: Field, is: Comparison, given: Json, clock: LocalClock): ConditionBuilt {
  const { name, type } = field;
  const day = type === 'datetime' && typeof given === 'string' ? readDay(given, clock) : undefined;
  if (day !== undefined && 'day' in day)
    return { condition: buildSpan(field, is, { first: day.day, last: day.day }, clock) };
  const read = readValue(field, given, clock);
  if ('fault' in read) return read;
  if (read.value !== null) return { condition: { field: name, is, value: read.value } };
  if (is === 'equals') return { condition: { field: name, is: 'empty' } };
  if (is === 'not-equals') return { condition: { field: name, is: 'not-empty' } };
  return { fault: `"${labelOf(field)}" needs a value for the comparison "${is}".` };
}

function buildAmong(
  field: Field,
  is: 'in' | 'not-in',
  items: readonly Json[],
  clock: LocalClock,
): ConditionBuilt {
  const values = new Set<Json>();
  const others: Condition[] = [];
  for (const item of items) {
    const built = buildOne(field, 'equals', item, clock);
    if ('fault' in built) return built;
    const { condition } = built;
    if ('field' in condition && condition.is === 'equals') values.add(condition.value ?? null);
    else others.push(condition);
  }
  const listed: Condition = { field: field.name, is: 'in', value: [...values] };
  const condition = anyOf(values.size === 0 ? others : [listed, ...others]);
  return { condition: is === 'in' ? condition : negateAny(condition) };
}

function buildBetween(field: Field, given: Json | undefined, clock: LocalClock): ConditionBuilt {
  const label = labelOf(field);
  const [low, high, ...rest] = Array.isArray(given) ? (given as readonly Json[]) : [];
  if (low === undefined || high === undefined || rest.length > 0)
    return { fault: `"${label}" needs two values for the comparison "between".` };
  const bounds = [buildOne(field, 'at-least', low, clock), buildOne(field, 'at-most', high, clock)];
  for (const bound of bounds) if ('fault' in bound) return bound;
  const [from, to] = bounds.map((bound) =>
    'condition' in bound && 'field' in bound.condition ? bound.condition : undefined,
  );
  if (from === undefined || to === undefined) return { fault: `"${label}" cannot be compared with a range.` };
  const [least = null, most = null] = [from.value, to.value];
  if (compareValues(field, least, most) > 0) {
    return {
      fault: `"${label}" cannot be between ${quote(low)} and ${quote(high)}: the first value is greater than the second.`,
      hint: 'Put the smaller value first.',
    };
  }
  const isPlain = from.is === 'at-least' && to.is === 'at-most';
  return {
    condition: isPlain ? { field: field.name, is: 'between', value: [least, most] } : { all: [from, to] },
  };
}

/**
 * Compares a date or timestamp field with a range of whole days. Both `between` and `equals` match values
 * within the range.
 */
export function buildSpan(
  { name, type }: Field,
  is: Comparison,
  { first, last }: DaySpan,
  clock: LocalClock,
): Condition {
  const leaf = (comparison: Comparison, value: Json): Condition => ({ field: name, is: comparison, value });
  const isDate = type === 'date';
  const from = isDate
    ? (isoDay(first) ?? '0001-01-01')
    : instant(startOfDay(first, clock.zone), '0001-01-01T00:00:00.000Z');
  const to = isDate
    ? (isoDay(last) ?? '9999-12-31')
    : instant(startOfDay(last + 1, clock.zone), '9999-12-31T23:59:59.999Z');
  if (is === 'less' || is === 'at-least') return leaf(is, from);
  if (is === 'at-most') return leaf(isDate ? is : 'less', to);
  if (is === 'more') return leaf(isDate ? is : 'at-least', to);
  const within: Condition = !isDate
    ? { all: [leaf('at-least', from), leaf('less', to)] }
    : from === to
      ? leaf('equals', from)
      : leaf('between', [from, to]);
  return is === 'not-equals' || is === 'not-in' ? negate(within) : within;
}

function instant(milliseconds: number, limit: string): string {
  const value = new Date(milliseconds).toISOString();
  return /^(?!0000)\d{4}-/.test(value) ? value : limit;
}
