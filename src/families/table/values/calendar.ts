/** The number of a day of the real calendar, counted from 1970-01-01; undefined when there is no such day in the years 1 to 9999. */
export function dayNumber(year: number, month: number, day: number): number | undefined {
  if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month))
    return undefined;
  return new Date(0).setUTCFullYear(year, month - 1, day) / dayLength;
}

/** Milliseconds. */
export const dayLength = 86_400_000;

/** The days of the years 1 and 9999 that can be spoken of. */
const firstDay = -719_162;
const lastDay = 2_932_896;

/** A day as `2026-11-16`; undefined before the year 1 and after 9999. */
export function isoDay(day: number): string | undefined {
  if (day < firstDay || day > lastDay) return undefined;
  return new Date(day * dayLength).toISOString().slice(0, 10);
}

/** The parts of a day. */
export function partsOf(day: number): {
  readonly year: number;
  readonly month: number;
  readonly day: number;
} {
  const date = new Date(day * dayLength);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** The same day so many months later, or the last of that month where it is shorter; undefined outside the years. */
export function addMonths(day: number, months: number): number | undefined {
  const parts = partsOf(day);
  const total = parts.year * 12 + parts.month - 1 + months;
  const year = Math.floor(total / 12);
  const month = total - year * 12 + 1;
  return dayNumber(year, month, Math.min(parts.day, daysIn(year, month)));
}

/** How far into its week a day is; Monday is 0. */
export function weekday(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** The number of a month by its English name, also cut to three or four letters; undefined for other words. */
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
