/** A moment and a time zone. They determine what "today" is, and how times are read and shown. */
export interface LocalClock {
  /** The current time, in milliseconds since the Unix epoch. */
  readonly now: number;
  /** The time zone, such as `Europe/Berlin` or `UTC`. */
  readonly zone: string;
}

/**
 * Returns the number of days from 1970-01-01 to a date, or undefined if the date does not exist or is outside
 * the years 1 to 9999.
 */
export function dayNumber(year: number, month: number, day: number): number | undefined {
  if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month))
    return undefined;
  return new Date(0).setUTCFullYear(year, month - 1, day) / dayLength;
}

/** The length of a day in milliseconds. */
export const dayLength = 86_400_000;

/** Formats a day as `2026-11-16`. Returns undefined outside the years 1 to 9999. */
export function isoDay(day: number): string | undefined {
  const { year } = partsOf(day);
  return year >= 1 && year <= 9999 ? new Date(day * dayLength).toISOString().slice(0, 10) : undefined;
}

/** Returns the year, month and day for a day number. */
export function partsOf(day: number): {
  readonly year: number;
  readonly month: number;
  readonly day: number;
} {
  const date = new Date(day * dayLength);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** Adds months to a day, clamped to the month's last day. Returns undefined outside the years 1 to 9999. */
export function addMonths(day: number, months: number): number | undefined {
  const parts = partsOf(day);
  const total = parts.year * 12 + parts.month - 1 + months;
  const year = Math.floor(total / 12);
  const month = total - year * 12 + 1;
  return dayNumber(year, month, Math.min(parts.day, daysIn(year, month)));
}

/**
 * Adds days, weeks, months or years to a day. If the result is not a valid day, returns a number outside the
 * years 1 to 9999.
 */
export function shiftDay(day: number, count: number, unit: string): number {
  if (unit === 'day') return day + count;
  if (unit === 'week') return day + count * 7;
  return addMonths(day, unit === 'year' ? count * 12 : count) ?? Number.POSITIVE_INFINITY;
}

/** Returns the day of the week, where Monday is 0. */
export function weekday(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

function daysIn(year: number, month: number): number {
  return new Date(new Date(0).setUTCFullYear(year, month, 0)).getUTCDate();
}

/**
 * Returns a month's number for its English name, the name's first three letters or "sept", or undefined for
 * any other word.
 */
export function monthNumber(word: string): number | undefined {
  const given = word.toLowerCase().replace(/\.$/, '');
  if (given.length < 3) return undefined;
  const index = months.findIndex(
    (name) => name === given || name.slice(0, 3) === given || (name === 'september' && given === 'sept'),
  );
  return index === -1 ? undefined : index + 1;
}

const months = [
  ...['january', 'february', 'march', 'april', 'may', 'june'],
  ...['july', 'august', 'september', 'october', 'november', 'december'],
];

/** Returns the day number of today in the clock's time zone. */
export function todayIn({ now, zone }: LocalClock): number {
  return Math.floor((now + offsetAt(now, zone)) / dayLength);
}

/** Returns the start of a day in a time zone, in milliseconds since the Unix epoch. */
export function startOfDay(day: number, zone: string): number {
  return instantAt(day * dayLength, zone);
}

/**
 * Converts a local time, expressed as if it were UTC, to a timestamp. If the local time occurs twice, uses
 * the first. If the clocks skip it, moves it forward by the length of the gap.
 */
export function instantAt(local: number, zone: string): number {
  const before = offsetAt(local - dayLength, zone);
  const after = offsetAt(local + dayLength, zone);
  const fitting = [local - before, local - after].filter(
    (instant) => instant + offsetAt(instant, zone) === local,
  );
  return fitting.length === 0 ? local - before : Math.min(...fitting);
}

/** Returns a zone's offset from UTC in milliseconds, positive if its clocks are ahead. */
export function offsetAt(instant: number, zone: string): number {
  if (zone === 'UTC') return 0;
  const format =
    formats.get(zone) ?? new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  formats.set(zone, format);
  const name = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = 0, minutes = 0, seconds = 0] = /([+-])(\d+):(\d+)(?::(\d+))?/.exec(name) ?? [];
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * (sign === '-' ? -1_000 : 1_000);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** A fixed clock, for results that do not depend on the time or time zone. */
export const anyTime: LocalClock = { now: 0, zone: 'UTC' };
