import type { TableClock } from '../table.ts';
import { addMonths, dayNumber, isoDay, monthNumber } from './calendar.ts';
import { quote } from './quote.ts';
import { todayIn } from './zone.ts';

/** The day number parsed from text, or the end of an error message if the text is not a day. */
type DayRead = { readonly day: number } | { readonly fault: string };

/** Parses a day in any common notation. Dates with slashes must be unambiguous. */
export function readDay(given: string, clock: TableClock): DayRead {
  const text = given.trim().toLowerCase();
  if (text.length > longest) return noDay(given);
  const relative = relativeDay(text, clock);
  if (relative !== undefined) return isoDay(relative) === undefined ? unreal(given) : { day: relative };
  const slashed = /^(\d{1,2})([/-])(\d{1,2})\2(\d{4})$/.exec(text);
  if (slashed !== null) return readSlashed(given, Number(slashed[1]), Number(slashed[3]), Number(slashed[4]));
  const parts = isoParts(text) ?? namedParts(text);
  if (parts === undefined) return noDay(given);
  const day = dayNumber(...parts);
  return day === undefined ? unreal(given) : { day };
}

const longest = 60; // The maximum number of characters in a date.

type Parts = readonly [year: number, month: number, day: number];

function isoParts(text: string): Parts | undefined {
  const found = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/.exec(text);
  if (found !== null) return [Number(found[1]), Number(found[3]), Number(found[4])];
  const dotted = /^(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})$/.exec(text);
  return dotted === null ? undefined : [Number(dotted[3]), Number(dotted[2]), Number(dotted[1])];
}

function namedParts(text: string): Parts | undefined {
  const dayFirst = /^(?:the )?(\d{1,2})(?:st|nd|rd|th|\.)?[ -](?:of )?([a-z]+\.?),?[ -](\d{4})$/.exec(text);
  const monthFirst = /^([a-z]+\.?) (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/.exec(text);
  const month = monthNumber(dayFirst?.[2] ?? monthFirst?.[1] ?? '');
  if (month === undefined) return undefined;
  return [Number(dayFirst?.[3] ?? monthFirst?.[3]), month, Number(dayFirst?.[1] ?? monthFirst?.[2])];
}

function readSlashed(given: string, first: number, second: number, year: number): DayRead {
  const asDayFirst = dayNumber(year, second, first);
  const asMonthFirst = dayNumber(year, first, second);
  if (asDayFirst === undefined && asMonthFirst === undefined) return unreal(given);
  if (asDayFirst !== undefined && asMonthFirst !== undefined && asDayFirst !== asMonthFirst) {
    const readings = `${isoDay(asDayFirst) ?? ''} or ${isoDay(asMonthFirst) ?? ''}`;
    return { fault: `cannot be ${quote(given)}, which is ambiguous: write ${readings}.` };
  }
  return { day: asDayFirst ?? asMonthFirst ?? 0 };
}

function relativeDay(text: string, clock: TableClock): number | undefined {
  const shift = shifts.get(text);
  if (shift !== undefined) return todayIn(clock) + shift;
  const found = /^(in )?(an?|one|\d{1,5}) (day|week|month|year)s?( ago| from now)?$/.exec(text);
  if (found === null || (found[1] === undefined) === (found[4] === undefined)) return undefined;
  const count = (/^\d/.test(found[2] ?? '') ? Number(found[2]) : 1) * (found[4] === ' ago' ? -1 : 1);
  return shiftDay(todayIn(clock), count, found[3] ?? '');
}

const shifts: ReadonlyMap<string, number> = new Map([
  ['today', 0],
  ['yesterday', -1],
  ['tomorrow', 1],
]);

/**
 * Adds days, weeks, months or years to a day. If the result is not a valid day, returns a number outside the
 * years 1 to 9999.
 */
export function shiftDay(day: number, count: number, unit: string): number {
  if (unit === 'day') return day + count;
  if (unit === 'week') return day + count * 7;
  return addMonths(day, unit === 'year' ? count * 12 : count) ?? Number.POSITIVE_INFINITY;
}

function noDay(given: string): DayRead {
  return { fault: `must be a date such as 2026-11-16, not ${quote(given)}.` };
}

function unreal(given: string): DayRead {
  return { fault: `cannot be ${quote(given)}: there is no such day.` };
}
