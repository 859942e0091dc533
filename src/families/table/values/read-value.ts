import { labelOf } from '../show/label-of.ts';
import { normaliseKey, type Json } from '../../../core/index.ts';
import type { FieldType } from '../descriptor/definition.ts';
import type { TableClock, Field } from '../table.ts';
import { isoDay } from './calendar.ts';
import { quote } from './quote.ts';
import { readBoolean } from './read-boolean.ts';
import { readDay } from './read-day.ts';
import { readInstant } from './read-instant.ts';
import { readJson, readList } from './read-list.ts';
import { readBigint, readDecimal, readInteger } from './read-number.ts';
import { readEmail, readText, readUrl, readUuid } from './read-text.ts';
import { readTime } from './read-time.ts';
import type { ValueRead } from './value-read.ts';
import { todayIn } from './zone.ts';

/** What was given, as text or as JSON, in the one form that values of a field have; a fault is a sentence that names the field. */
export function readValue(field: Field, given: Json, clock: TableClock): ValueRead {
  if (given === null || given === '') return { value: null };
  if (typeof given === 'string' && !isFree(field.type) && given.trim() === '') return { value: null };
  const read = readers[field.type](given, clock);
  if ('fault' in read) return { fault: `"${labelOf(field)}" ${read.fault}` };
  return field.values === undefined ? read : readListed(field, field.values, read.value, clock);
}

function isFree(type: FieldType): boolean {
  return type === 'string' || type === 'text';
}

const readers: Readonly<Record<FieldType, (given: Json, clock: TableClock) => ValueRead>> = {
  string: readText,
  text: readText,
  integer: readInteger,
  bigint: readBigint,
  decimal: readDecimal,
  boolean: readBoolean,
  date: readDate,
  datetime: readInstant,
  time: readTime,
  json: readJson,
  array: readList,
  email: readEmail,
  url: readUrl,
  uuid: readUuid,
};

function readDate(given: Json, clock: TableClock): ValueRead {
  if (typeof given !== 'string') return { fault: `must be a date such as 2026-11-16, not ${quote(given)}.` };
  if (given.trim().toLowerCase() === 'now') return { value: isoDay(todayIn(clock)) ?? null };
  const read = readDay(given, clock);
  return 'fault' in read ? read : { value: isoDay(read.day) ?? null };
}

/** A value of a list in the spelling of that list. */
function readListed(field: Field, values: readonly string[], value: Json, clock: TableClock): ValueRead {
  if (Array.isArray(value)) {
    const items = value.map((item: Json) => listed(field, values, item, clock));
    const missing = items.indexOf(undefined);
    return missing === -1 ? { value: items as Json[] } : notListed(field, values, value[missing] as Json);
  }
  const found = listed(field, values, value, clock);
  return found === undefined ? notListed(field, values, value) : { value: found };
}

function listed(field: Field, values: readonly string[], value: Json, clock: TableClock): Json | undefined {
  if (typeof value === 'object') return undefined;
  const plain = String(value);
  if (values.includes(plain)) return value;
  const { type } = field;
  if (isFree(type) || type === 'array')
    return values.find((one) => normaliseKey(one) === normaliseKey(plain));
  const isSame = (one: string): boolean => {
    const read = readers[type](one, clock);
    return 'value' in read && read.value === value;
  };
  return values.some(isSame) ? value : undefined;
}

function notListed(field: Field, values: readonly string[], value: Json): ValueRead {
  const shown = values.slice(0, mostShown).map((one) => quote(one));
  const more = values.length > mostShown ? `, … (${values.length} in all)` : '';
  return {
    fault: `"${labelOf(field)}" must be one of ${shown.join(', ')}${more}, not ${quote(value)}.`,
  };
}

const mostShown = 12;
