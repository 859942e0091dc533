import type { TableClock } from '../table.ts';
import { dayLength } from './calendar.ts';

/** Returns the day number of today in the clock's time zone. */
export function todayIn({ now, zone }: TableClock): number {
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
  const parts = new Map<string, number>();
  for (const { type, value } of formatOf(zone).formatToParts(instant)) parts.set(type, Number(value));
  const part = (name: string): number => parts.get(name) ?? 0;
  const date = new Date(0).setUTCFullYear(part('year'), part('month') - 1, part('day'));
  const local = date + ((part('hour') * 60 + part('minute')) * 60 + part('second')) * 1_000;
  return local - Math.floor(instant / 1_000) * 1_000;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'iso8601',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(zone, format);
  return format;
}
