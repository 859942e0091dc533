import type { DaySpan } from '../request/build-comparison.ts';
import { addMonths, dayNumber, monthNumber, partsOf, weekday } from '../values/calendar.ts';
import { shiftDay } from '../values/dates.ts';
import { todayIn } from '../values/calendar.ts';
import type { Cursor } from './cursor.ts';
import { grammar } from './grammar.ts';
import type { WordToken } from './tokens.ts';

/** A span of full days, or the time between two moments. */
export type Period = DaySpan | { readonly from: number; readonly to: number };

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

/** The forms of a calendar period: its year, and its first month and length in months. */
const calendarForms: readonly (readonly [
  RegExp,
  (found: readonly string[]) => readonly number[] | undefined,
])[] = [
  [/^(\d{4}) q([1-4])$/, ([, year, quarter]) => [Number(year), Number(quarter) * 3 - 2, 3]],
  [/^q([1-4]) (\d{4})$/, ([, quarter, year]) => [Number(year), Number(quarter) * 3 - 2, 3]],
  [/^(\d{4})-(\d\d)$/, ([, year, month]) => [Number(year), Number(month), 1]],
  [/^(\S+) (\d{4})$/, ([, name = '', year]) => monthOf(name, Number(year))],
  [/^(\d{4})$/, ([, year]) => [Number(year), 1, 12]],
];

function monthOf(name: string, year: number): readonly number[] | undefined {
  const month = monthNumber(name);
  return month === undefined ? undefined : [year, month, 1];
}

function readCalendar(cursor: Cursor): DaySpan | undefined {
  const [first, second] = [cursor.peek(), cursor.peek(1)];
  if (first?.kind !== 'word') return undefined;
  for (const [words, said] of [
    [2, `${first.low} ${second?.low ?? ''}`],
    [1, first.low],
  ] as const) {
    for (const [form, build] of calendarForms) {
      const found = form.exec(said);
      const [year = 0, month = 0, months = 0] = (found && build(found)) ?? [];
      const beginning = months === 0 ? undefined : dayNumber(year, month, 1);
      // A year before a month is the end of a date, as in "3 2026 May".
      const isYear = months === 12 && second?.kind === 'word' && monthNumber(second.low) !== undefined;
      if (beginning === undefined || isYear) continue;
      cursor.index += words;
      return spanFrom(beginning, months);
    }
  }
  return undefined;
}

function spanFrom(first: number, months: number): DaySpan {
  return { first, last: (addMonths(first, months) ?? latestDay + 1) - 1 };
}

const latestDay = 2_932_896; // The day number of 9999-12-31.

function readShifted(cursor: Cursor): Period | undefined {
  const shift = Number(cursor.accept(grammar.shifts) ?? Number.NaN);
  if (Number.isNaN(shift)) return undefined;
  if (isNumber(cursor.peek())) return shift === 0 ? undefined : readCounted(cursor, shift);
  const unit = cursor.accept(grammar.units);
  return unit === undefined ? undefined : shiftedPeriod(todayIn(cursor.clock), unit, shift);
}

/** Returns the calendar period that contains a day, moved by `shift` periods. */
function shiftedPeriod(today: number, unit: string, shift: number): DaySpan | undefined {
  if (unit === 'hour' || unit === 'minute') return undefined;
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
 * Reads a period of several units before or after the current time. Days are full days. A past period ends
 * with today, and a future period begins with today.
 */
function readCounted(cursor: Cursor, shift: number): Period | undefined {
  const count = readNumber(cursor) ?? 0;
  const unit = cursor.accept(grammar.units);
  if (unit === undefined || unit === 'quarter' || !(count >= 1 && count <= 100_000)) return undefined;
  const { clock } = cursor;
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

/** Returns the value of an English number word: "zero" to "ninety-nine", "dozen", "hundred" or "thousand". */
export function numberWord(word: string): number | undefined {
  const [tens = '', ones] = word.toLowerCase().split('-');
  const value = numbers.get(tens);
  if (ones === undefined || value === undefined) return value;
  const one = numbers.get(ones);
  return value >= 20 && value < 100 && one !== undefined && one < 10 ? value + one : undefined;
}

const belowTwenty =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen';
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety hundred';

const numbers: ReadonlyMap<string, number> = new Map<string, number>([
  ...belowTwenty.split(' ').map((word, value) => [word, value] as const),
  ...tens.split(' ').map((word, value) => [word, (value + 2) * 10] as const),
  ['dozen', 12],
  ['thousand', 1_000],
]);
