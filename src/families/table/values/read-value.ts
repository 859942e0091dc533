import { normaliseKey, type Json } from '../../../core/index.ts';
import type { FieldType } from '../descriptor/definition.ts';
import { labelOf } from '../show/label-of.ts';
import type { Field, TableClock } from '../table.ts';
import { isoDay } from './calendar.ts';
import { quote } from './quote.ts';
import { readDay } from './read-day.ts';
import { readInstant } from './read-instant.ts';
import { isStorable, readJson, readList } from './read-list.ts';
import { readBigint, readDecimal, readInteger } from './read-number.ts';
import { readTime } from './read-time.ts';
import type { ValueRead } from './value-read.ts';
import { todayIn } from './zone.ts';

/** Yes or no. */
function readBoolean(given: Json): ValueRead {
  const word = typeof given === 'object' ? '' : String(given).trim().toLowerCase();
  if (yes.has(word)) return { value: true };
  if (no.has(word)) return { value: false };
  return { fault: `must be yes or no, not ${quote(given)}.` };
}

const yes: ReadonlySet<string> = new Set(['yes', 'true', 'on', '1']);
const no: ReadonlySet<string> = new Set(['no', 'false', 'off', '0']);

/** A text as it stands. */
function readText(given: Json): ValueRead {
  if (typeof given === 'object') return { fault: `must be a text, not ${quote(given)}.` };
  const value = String(given);
  return isStorable(value) ? { value } : { fault: 'cannot hold characters that no database can keep.' };
}

const address = /^[^\s@"(),:;<>[\]\\]{1,64}@[^\s@"(),:;<>[\]\\.]+(?:\.[^\s@"(),:;<>[\]\\.]+)+$/;

/** An address that mail could be sent to; whether somebody reads it is not known. */
function readEmail(given: Json): ValueRead {
  const value = typeof given === 'string' ? given.trim() : '';
  if (value.length > 254 || !address.test(value) || !isStorable(value)) {
    return { fault: `must be an email address such as name@example.com, not ${quote(given)}.` };
  }
  return { value };
}

/** An absolute address of the web, as it is written. */
function readUrl(given: Json): ValueRead {
  const value = typeof given === 'string' ? given.trim() : '';
  const url = /^https?:\/\/[^\s]+$/i.test(value) && isStorable(value) ? URL.parse(value) : null;
  return url === null
    ? { fault: `must be an address such as https://example.com, not ${quote(given)}.` }
    : { value };
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A UUID in lower case. */
function readUuid(given: Json): ValueRead {
  const value = typeof given === 'string' ? given.trim().toLowerCase() : '';
  return uuid.test(value) ? { value } : { fault: `must be a UUID, not ${quote(given)}.` };
}

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
