import type { Json } from '../../../core/index.ts';
import type { TableClock, Field } from '../table.ts';
import { isoDay } from '../values/calendar.ts';
import { startOfDay } from '../values/zone.ts';
import { negate } from './join-conditions.ts';
import type { Comparison, Condition } from './request.ts';

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
