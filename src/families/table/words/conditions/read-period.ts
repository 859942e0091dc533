import type { DaySpan } from '../../request/build-span.ts';
import { addMonths, dayNumber, monthNumber, partsOf, weekday } from '../../values/calendar.ts';
import { shiftDay } from '../../values/read-day.ts';
import { todayIn } from '../../values/zone.ts';
import { isNumber, readNumber } from '../read-number.ts';
import { peek, skip, type Cursor } from '../cursor.ts';
import { wordsOf } from '../vocabulary.ts';

/** A span of full days, or the time between two moments. */
export type Period = DaySpan | { readonly from: number; readonly to: number };

/**
 * Reads a period such as a month, a quarter, a year, `this week` or `the last 7 days` at the next token and
 * moves past it. Weeks begin on Monday.
 */
export function readPeriod(cursor: Cursor): Period | undefined {
  const start = cursor.index;
  skip(cursor, leads);
  const period = readQuarter(cursor) ?? readCalendar(cursor) ?? readShifted(cursor);
  if (period === undefined) cursor.index = start;
  return period;
}

const leads = wordsOf('in during within on the of');

/** Reads `Q1 2026` or `2026 Q1`. */
function readQuarter(cursor: Cursor): DaySpan | undefined {
  const said = `${peek(cursor)?.low ?? ''} ${peek(cursor, 1)?.low ?? ''}`;
  const [, before = '', quarter = '', behind = ''] = /^(\d{4} )?q([1-4])( \d{4})?$/.exec(said) ?? [];
  if ((before === '') === (behind === '')) return undefined;
  const first = dayNumber(Number(before || behind), Number(quarter) * 3 - 2, 1);
  if (first === undefined) return undefined;
  cursor.index += 2;
  return spanFrom(first, 3);
}

function readCalendar(cursor: Cursor): DaySpan | undefined {
  const [first, second] = [peek(cursor), peek(cursor, 1)];
  if (first?.kind !== 'word') return undefined;
  const numeric = /^(\d{4})-(\d{2})$/.exec(first.text);
  const isYear = /^\d{4}$/.test(first.text);
  const month = numeric === null ? monthNumber(first.low) : Number(numeric[2]);
  const yearText = numeric?.[1] ?? (isYear ? first.text : second?.text) ?? '';
  if (!/^\d{4}$/.test(yearText) || (!isYear && month === undefined)) return undefined;
  const isTwoWords = numeric === null && !isYear;
  const beginning = dayNumber(Number(yearText), isYear ? 1 : (month ?? 0), 1);
  const next = peek(cursor, isTwoWords ? 2 : 1);
  if (beginning === undefined || (isYear && next?.kind === 'word' && monthNumber(next.low) !== undefined))
    return undefined;
  cursor.index += isTwoWords ? 2 : 1;
  return spanFrom(beginning, isYear ? 12 : 1);
}

function spanFrom(first: number, months: number): DaySpan {
  return { first, last: (addMonths(first, months) ?? latestDay + 1) - 1 };
}

const latestDay = 2_932_896; // The day number of 9999-12-31.

function readShifted(cursor: Cursor): Period | undefined {
  const which = peek(cursor)?.low ?? '';
  const shift = shifts.get(which);
  if (shift === undefined) return undefined;
  cursor.index++;
  if (isNumber(peek(cursor))) return shift === 0 ? undefined : readCounted(cursor, shift);
  const unit = units.get(peek(cursor)?.low ?? '');
  if (unit === undefined || unit === 'hour' || unit === 'minute') return undefined;
  cursor.index++;
  return shiftedPeriod(todayIn(cursor.clock), unit, shift);
}

const shifts: ReadonlyMap<string, number> = new Map(
  Object.entries({ this: 0, current: 0, last: -1, past: -1, previous: -1, next: 1, coming: 1 }),
);

/** Returns the calendar period that contains a day, moved by `shift` periods. */
function shiftedPeriod(today: number, unit: string, shift: number): DaySpan | undefined {
  const { year, month } = partsOf(today);
  if (unit === 'day') return { first: today + shift, last: today + shift };
  if (unit === 'week') {
    const monday = today - weekday(today) + shift * 7;
    return { first: monday, last: monday + 6 };
  }
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
  const unit = units.get(peek(cursor)?.low ?? '');
  if (unit === undefined || unit === 'quarter' || !(count >= 1 && count <= 100_000)) return undefined;
  cursor.index++;
  const { clock } = cursor;
  if (unit === 'hour' || unit === 'minute') {
    const length = count * (unit === 'hour' ? 3_600_000 : 60_000) * shift;
    return shift < 0
      ? { from: clock.now + length, to: clock.now }
      : { from: clock.now, to: clock.now + length };
  }
  const today = todayIn(clock);
  const other = shiftDay(today, count * shift, unit) - shift;
  if (!Number.isFinite(other)) return undefined;
  return shift < 0 ? { first: other, last: today } : { first: today, last: other };
}

const units: ReadonlyMap<string, string> = new Map(
  ['day', 'week', 'month', 'quarter', 'year', 'hour', 'minute'].flatMap((unit) => [
    [unit, unit],
    [`${unit}s`, unit],
  ]),
);
