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

/** The day numbers of 0001-01-01 and 9999-12-31. */
const firstDay = -719_162;
const lastDay = 2_932_896;

/** Formats a day as `2026-11-16`. Returns undefined outside the years 1 to 9999. */
export function isoDay(day: number): string | undefined {
  if (day < firstDay || day > lastDay) return undefined;
  return new Date(day * dayLength).toISOString().slice(0, 10);
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

/** Returns the day of the week, where Monday is 0. */
export function weekday(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
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
