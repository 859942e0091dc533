import { quote, visible, type Json } from '../../core/index.ts';
import {
  dayLength,
  dayNumber,
  instantAt,
  isoDay,
  monthNumber,
  offsetAt,
  partsOf,
  shiftDay,
  startOfDay,
  todayIn,
  type LocalClock,
} from './calendar.ts';
import type { ValueRead } from './numbers.ts';

/** The day number parsed from text, or the end of an error message if the text is not a day. */
type DayRead = { readonly day: number } | { readonly fault: string };

const longestDay = 60; // The maximum number of characters in a date.
const longestInstant = 80; // The maximum number of characters in a date and time.

/** Reads a date. `now` means today. */
export function readDate(given: Json, clock: LocalClock): ValueRead {
  if (typeof given !== 'string') return noDay(given);
  const read = readDay(given.trim().toLowerCase() === 'now' ? 'today' : given, clock);
  return 'fault' in read ? read : { value: isoDay(read.day) ?? null };
}

/** Parses a day in any common notation. Dates with slashes must be unambiguous. */
export function readDay(given: string, clock: LocalClock): DayRead {
  const text = given.trim().toLowerCase();
  if (text.length > longestDay) return noDay(given);
  const relative = relativeDay(text, clock);
  if (relative !== undefined) return isoDay(relative) === undefined ? unreal(given) : { day: relative };
  const slashed = /^(\d{1,2})([/-])(\d{1,2})\2(\d{4})$/.exec(text);
  if (slashed !== null) return readSlashed(given, Number(slashed[1]), Number(slashed[3]), Number(slashed[4]));
  for (const form of dayForms) {
    const { year, month = '', day } = form.exec(text)?.groups ?? {};
    const number = /^\d/.test(month) ? Number(month) : monthNumber(month);
    if (number === undefined) continue;
    const found = dayNumber(Number(year), number, Number(day));
    return found === undefined ? unreal(given) : { day: found };
  }
  return noDay(given);
}

const dayForms: readonly RegExp[] = [
  /^(?<year>\d{4})(?<sign>[-/.])(?<month>\d{1,2})\k<sign>(?<day>\d{1,2})$/,
  /^(?<day>\d{1,2})\. ?(?<month>\d{1,2})\. ?(?<year>\d{4})$/,
  /^(?:the )?(?<day>\d{1,2})(?:st|nd|rd|th|\.)?[ -](?:of )?(?<month>[a-z]+\.?),?[ -](?<year>\d{4})$/,
  /^(?<month>[a-z]+\.?) (?<day>\d{1,2})(?:st|nd|rd|th)?,? (?<year>\d{4})$/,
];

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

function relativeDay(text: string, clock: LocalClock): number | undefined {
  const shift = shifts.get(text);
  if (shift !== undefined) return todayIn(clock) + shift;
  const distance = readDistance(text, /^(in )?(an?|one|\d{1,5}) (day|week|month|year)s?( ago| from now)?$/);
  return distance && shiftDay(todayIn(clock), distance.count, distance.unit);
}

const shifts: ReadonlyMap<string, number> = new Map([
  ['today', 0],
  ['yesterday', -1],
  ['tomorrow', 1],
]);

/** Parses a distance from now, such as `in 2 days` or `an hour ago`. */
function readDistance(
  text: string,
  form: RegExp,
): { readonly count: number; readonly unit: string } | undefined {
  const [whole, ahead, count = '', unit = '', direction] = form.exec(text) ?? [];
  if (whole === undefined || (ahead === undefined) === (direction === undefined)) return undefined;
  return { count: (/^\d/.test(count) ? Number(count) : 1) * (direction === ' ago' ? -1 : 1), unit };
}

function noDay(given: Json): { readonly fault: string } {
  return { fault: `must be a date such as 2026-11-16, not ${quote(given)}.` };
}

function unreal(given: string): { readonly fault: string } {
  return { fault: `cannot be ${quote(given)}: there is no such day.` };
}

const timeForm = /^(\d{1,2})(?::(\d{2}))?(?::(\d{2})(?:\.(\d{1,9}))?)?(?: ?([ap])\.?m\.?)?$/;

/** Parses a time of day as milliseconds after midnight. Returns undefined if it is invalid. */
function timeOfDay(given: string): number | undefined {
  const text = given.trim().toLowerCase();
  if (text === 'noon') return 12 * 3_600_000;
  if (text === 'midnight') return 0;
  const [whole, hours, minutes, seconds = 0, fraction = '', half] = timeForm.exec(text) ?? [];
  const isHalf = half !== undefined; // In a half of the day, minutes are optional and fractions are not allowed.
  if (whole === undefined || (isHalf ? fraction !== '' : minutes === undefined)) return undefined;
  const hour = Number(hours);
  if (isHalf ? hour < 1 || hour > 12 : hour > 23) return undefined;
  if (Number(minutes ?? 0) > 59 || Number(seconds) > 59) return undefined;
  const whenHalf = (hour % 12) + (half === 'p' ? 12 : 0);
  const minute = (isHalf ? whenHalf : hour) * 60 + Number(minutes ?? 0);
  return (minute * 60 + Number(seconds)) * 1_000 + Number(fraction.padEnd(3, '0').slice(0, 3));
}

/** Reads a time of day with a precision of one second. */
export function readTime(given: Json): ValueRead {
  const time = typeof given === 'string' ? timeOfDay(given) : undefined;
  if (time === undefined || time % 1_000 !== 0)
    return { fault: `must be a time such as 14:30, not ${quote(given)}.` };
  return { value: new Date(time).toISOString().slice(11, 19) };
}

/**
 * Reads a date and time, by default in the clock's time zone, and converts it to UTC. A date alone means the
 * start of that day.
 */
export function readInstant(given: Json, clock: LocalClock): ValueRead {
  const wrong = { fault: `must be a date with a time such as 2026-11-16 14:30, not ${quote(given)}.` };
  if (typeof given !== 'string' || given.length > longestInstant) return wrong;
  const text = given.trim();
  const instant = relativeInstant(text.toLowerCase(), clock) ?? instantIn(text, clock);
  if (instant === undefined) {
    const day = readDay(text, clock);
    if ('day' in day) return written(startOfDay(day.day, clock.zone), given);
    return /\d/.test(text) && !day.fault.startsWith('must') ? day : wrong;
  }
  return typeof instant === 'number' ? written(instant, given) : instant;
}

function relativeInstant(text: string, clock: LocalClock): number | undefined {
  if (text === 'now') return clock.now;
  const distance = readDistance(text, /^(in )?(an?|one|\d{1,6}) (minute|hour)s?( ago| from now)?$/);
  return distance && clock.now + distance.count * (distance.unit === 'hour' ? 3_600_000 : 60_000);
}

const withTime =
  /^(.+?)(?:T|,? +at +|, *| +)(\d{1,2}(?::\d{2}){0,2}(?:\.\d{1,9})?(?: ?[ap]\.?m\.?)?|noon|midnight) *(Z|UTC|GMT|[+-]\d{2}(?::?\d{2}){0,2})?$/i;

/** Parses a day and time. Returns undefined if either is missing, or a fault if the day is invalid. */
function instantIn(text: string, clock: LocalClock): number | { readonly fault: string } | undefined {
  const found = withTime.exec(text);
  const time = found === null ? undefined : timeOfDay(found[2] ?? '');
  if (found === null || time === undefined) return undefined;
  const day = readDay(found[1] ?? '', clock);
  if (!('day' in day)) return day.fault.startsWith('must') ? undefined : day;
  const local = day.day * dayLength + time;
  if (found[3] === undefined) return instantAt(local, clock.zone);
  const offset = offsetIn(found[3]);
  return offset === undefined ? undefined : local - offset;
}

function offsetIn(zone: string): number | undefined {
  if (/^[A-Z]+$/i.test(zone)) return 0;
  const [hours = 0, minutes = 0, seconds = 0] = (zone.match(/\d{2}/g) ?? []).map(Number);
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * ((hours * 60 + minutes) * 60 + seconds) * 1_000;
}

function written(instant: number, given: string): ValueRead {
  const year = Math.abs(instant) > 8.64e15 ? 0 : new Date(instant).getUTCFullYear();
  if (year < 1 || year > 9999)
    return { fault: `cannot be ${quote(given)}: only the years 1 to 9999 are supported.` };
  return { value: new Date(instant).toISOString() };
}

/** Formats a stored time in a time zone, so that `readInstant` can read it back. */
export function showInstant(value: string, zone: string): string {
  const instant = Date.parse(value);
  if (Number.isNaN(instant)) return visible(value);
  const offset = offsetAt(instant, zone);
  const local = instant + offset;
  const { year } = partsOf(Math.floor(local / dayLength));
  if (year < 1 || year > 9999) return value;
  const shown = new Date(local)
    .toISOString()
    .replace('T', ' ')
    .slice(0, -1)
    .replace(/\.000$/, '')
    .replace(/:00$/, '');
  // The UTC offset is needed only for a local time that occurs twice.
  return instantAt(local, zone) === instant ? shown : `${shown} ${showOffset(offset)}`;
}

function showOffset(offset: number): string {
  const seconds = Math.abs(offset) / 1_000;
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts.map((part) => String(part).padStart(2, '0'));
  return `${offset < 0 ? '-' : '+'}${shown.slice(0, parts[2] === 0 ? 2 : 3).join(':')}`;
}
