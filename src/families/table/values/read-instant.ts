import type { Json } from '../../../core/index.ts';
import type { TableClock } from '../table.ts';
import { dayLength } from './calendar.ts';
import { quote } from './quote.ts';
import { readDay } from './read-day.ts';
import { timeOfDay } from './read-time.ts';
import type { ValueRead } from './value-read.ts';
import { instantAt, startOfDay } from './zone.ts';

/**
 * Parses a date and time, by default in the clock's time zone, and converts it to UTC. A date alone means the
 * start of that day.
 */
export function readInstant(given: Json, clock: TableClock): ValueRead {
  if (typeof given !== 'string' || given.length > longest) return noInstant(given);
  const text = given.trim();
  const instant = relativeInstant(text.toLowerCase(), clock) ?? instantIn(text, clock);
  if (instant === undefined) {
    const day = readDay(text, clock);
    if ('day' in day) return written(startOfDay(day.day, clock.zone), given);
    return /\d/.test(text) && !day.fault.startsWith('must') ? day : noInstant(given);
  }
  return typeof instant === 'number' ? written(instant, given) : instant;
}

const longest = 80; // The maximum number of characters in a date and time.

function relativeInstant(text: string, clock: TableClock): number | undefined {
  if (text === 'now') return clock.now;
  const found = /^(in )?(an?|one|\d{1,6}) (minute|hour)s?( ago| from now)?$/.exec(text);
  if (found === null || (found[1] === undefined) === (found[4] === undefined)) return undefined;
  const count = (/^\d/.test(found[2] ?? '') ? Number(found[2]) : 1) * (found[4] === ' ago' ? -1 : 1);
  return clock.now + count * (found[3] === 'hour' ? 3_600_000 : 60_000);
}

const withTime =
  /^(.+?)(?:T|,? +at +|, *| +)(\d{1,2}(?::\d{2}){0,2}(?:\.\d{1,9})?(?: ?[ap]\.?m\.?)?|noon|midnight) *(Z|UTC|GMT|[+-]\d{2}(?::?\d{2}){0,2})?$/i;

/** Parses a day and time. Returns undefined if either is missing, or a fault if the day is invalid. */
function instantIn(text: string, clock: TableClock): number | { readonly fault: string } | undefined {
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

function noInstant(given: Json): ValueRead {
  return { fault: `must be a date with a time such as 2026-11-16 14:30, not ${quote(given)}.` };
}
