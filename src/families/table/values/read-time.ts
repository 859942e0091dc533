import type { Json } from '../../../core/index.ts';
import { quote } from './quote.ts';
import type { ValueRead } from './value-read.ts';

const dayTime = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?$/;
const halfDayTime = /^(\d{1,2})(?::(\d{2}))?(?::(\d{2}))? ?([ap])\.?m\.?$/;

/** Parses a time of day as milliseconds after midnight. Returns undefined if it is invalid. */
export function timeOfDay(given: string): number | undefined {
  const text = given.trim().toLowerCase();
  if (text === 'noon') return 12 * 3_600_000;
  if (text === 'midnight') return 0;
  const half = halfDayTime.exec(text);
  if (half !== null) {
    const hour = Number(half[1]);
    if (hour < 1 || hour > 12) return undefined;
    return milliseconds((hour % 12) + (half[4] === 'p' ? 12 : 0), half[2], half[3], '');
  }
  const found = dayTime.exec(text);
  return found === null ? undefined : milliseconds(Number(found[1]), found[2], found[3], found[4] ?? '');
}

function milliseconds(hour: number, minute = '0', second = '0', fraction: string): number | undefined {
  if (hour > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const whole = (hour * 60 + Number(minute)) * 60 + Number(second);
  return whole * 1_000 + Number(fraction.padEnd(3, '0').slice(0, 3));
}

/** Reads a time of day with a precision of one second. */
export function readTime(given: Json): ValueRead {
  const time = typeof given === 'string' ? timeOfDay(given) : undefined;
  if (time === undefined || time % 1_000 !== 0)
    return { fault: `must be a time such as 14:30, not ${quote(given)}.` };
  return { value: new Date(time).toISOString().slice(11, 19) };
}
