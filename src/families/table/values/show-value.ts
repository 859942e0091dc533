import { visible, type Json } from '../../../core/index.ts';
import type { TableClock, Field } from '../table.ts';
import { dayLength, partsOf } from './calendar.ts';
import { plainDigits } from './plain-digits.ts';
import { instantAt, offsetAt } from './zone.ts';

/**
 * Formats a value for display, on one line and without hidden characters. `readValue` can read it back,
 * unless the value was empty or had to be altered.
 */
export function showValue(field: Field, value: Json, clock: TableClock): string {
  if (value === null || value === '') return '—';
  if (typeof value === 'boolean' && field.type === 'boolean') return value ? 'yes' : 'no';
  if (field.type === 'json') return visible(JSON.stringify(value));
  if (Array.isArray(value)) return showList(value);
  if (typeof value === 'object') return visible(JSON.stringify(value));
  if (typeof value === 'number') return plainDigits(value);
  if (field.type === 'datetime') return showInstant(String(value), clock.zone);
  if (field.type === 'time') return String(value).replace(/^(\d\d:\d\d):00$/, '$1');
  return visible(String(value));
}

function showList(items: readonly Json[]): string {
  const texts = items.filter((item) => typeof item === 'string' && plainItem.test(item));
  const isPlain = items.length > 0 && texts.length === items.length;
  return visible(isPlain ? (texts as readonly string[]).join(', ') : JSON.stringify(items));
}

const plainItem = /^[^\s",[\]](?:[^",\p{C}]*[^\s",\p{C}])?$/u;

function showInstant(value: string, zone: string): string {
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
