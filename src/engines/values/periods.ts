import {
  addMonths,
  dayNumber,
  monthNumber,
  partsOf,
  shiftDay,
  todayIn,
  weekday,
  type LocalClock,
} from './calendar.ts';

/** A range of whole days, inclusive at both ends. */
export interface DaySpan {
  readonly first: number;
  readonly last: number;
}

/** A span of full days, or the time between two moments. */
export type Period = DaySpan | { readonly from: number; readonly to: number };

/** The forms of a calendar period: its year, and its first month and length in months. */
const calendarForms: readonly (readonly [
  RegExp,
  (found: readonly string[]) => readonly [year: number, month: number | undefined, months: number],
])[] = [
  [/^(\d{4}) q([1-4])$/, ([, year, quarter]) => [Number(year), Number(quarter) * 3 - 2, 3]],
  [/^q([1-4]) (\d{4})$/, ([, quarter, year]) => [Number(year), Number(quarter) * 3 - 2, 3]],
  [/^(\d{4})-(\d\d)$/, ([, year, month]) => [Number(year), Number(month), 1]],
  [/^(\S+) (\d{4})$/, ([, name = '', year]) => [Number(year), monthNumber(name), 1]],
  [/^(\d{4})$/, ([, year]) => [Number(year), 1, 12]],
];

/** Reads a month, a quarter or a year, such as `May 2026`, `2026-05`, `Q2 2026` or `2026`, in lower case. */
export function calendarPeriod(text: string): DaySpan | undefined {
  for (const [form, build] of calendarForms) {
    const found = form.exec(text);
    const [year, month, months] = found === null ? [] : build(found);
    const first = year === undefined || month === undefined ? undefined : dayNumber(year, month, 1);
    if (first !== undefined && months !== undefined) return spanFrom(first, months);
  }
  return undefined;
}

function spanFrom(first: number, months: number): DaySpan {
  return { first, last: (addMonths(first, months) ?? latestDay + 1) - 1 };
}

const latestDay = 2_932_896; // The day number of 9999-12-31.

/** Returns the day, week, month, quarter or year that contains today, moved by `shift` of them. */
export function shiftedPeriod(clock: LocalClock, unit: string, shift: number): DaySpan | undefined {
  if (unit === 'hour' || unit === 'minute') return undefined;
  const today = todayIn(clock);
  if (unit === 'day') return { first: today + shift, last: today + shift };
  if (unit === 'week') {
    const monday = today - weekday(today) + shift * 7;
    return { first: monday, last: monday + 6 };
  }
  const { year, month } = partsOf(today);
  const months = unit === 'year' ? 12 : unit === 'quarter' ? 3 : 1;
  const beginning = dayNumber(year, month - ((month - 1) % months), 1) ?? today;
  const first = addMonths(beginning, shift * months);
  return first === undefined ? undefined : spanFrom(first, months);
}

/**
 * Returns the period of several units before or after the current time. Days are full days. A past period
 * ends with today, and a future period begins with today.
 */
export function countedPeriod(
  clock: LocalClock,
  count: number,
  unit: string,
  shift: number,
): Period | undefined {
  if (unit === 'quarter' || !(count >= 1 && count <= 100_000)) return undefined;
  if (unit === 'hour' || unit === 'minute') {
    const length = count * (unit === 'hour' ? 3_600_000 : 60_000);
    return shift < 0
      ? { from: clock.now - length, to: clock.now }
      : { from: clock.now, to: clock.now + length };
  }
  const today = todayIn(clock);
  const other = shiftDay(today, count * shift, unit) - shift;
  if (!Number.isFinite(other)) return undefined;
  return shift < 0 ? { first: other, last: today } : { first: today, last: other };
}
