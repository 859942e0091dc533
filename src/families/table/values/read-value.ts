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

/** Reads a boolean, such as `yes` or `off`. */
function readBoolean(given: Json): ValueRead {
  const text = typeof given === 'object' ? '' : String(given).trim().toLowerCase();
  if (yes.has(text)) return { value: true };
  if (no.has(text)) return { value: false };
  return { fault: `must be yes or no, not ${quote(given)}.` };
}

const yes: ReadonlySet<string> = new Set(['yes', 'true', 'on', '1']);
const no: ReadonlySet<string> = new Set(['no', 'false', 'off', '0']);

/** Reads text without changing it. */
function readText(given: Json): ValueRead {
  if (typeof given === 'object') return { fault: `must be text, not ${quote(given)}.` };
  const value = String(given);
  return isStorable(value) ? { value } : { fault: 'contains characters that databases cannot store.' };
}

const address = /^[^\s@"(),:;<>[\]\\]{1,64}@[^\s@"(),:;<>[\]\\.]+(?:\.[^\s@"(),:;<>[\]\\.]+)+$/;

/** Reads an email address and checks only its format. */
function readEmail(given: Json): ValueRead {
  const value = typeof given === 'string' ? given.trim() : '';
  if (value.length > 254 || !address.test(value) || !isStorable(value)) {
    return { fault: `must be an email address such as name@example.com, not ${quote(given)}.` };
  }
  return { value };
}

/** Reads an absolute web address without changing it. */
function readUrl(given: Json): ValueRead {
  const value = typeof given === 'string' ? given.trim() : '';
  const url = /^https?:\/\/[^\s]+$/i.test(value) && isStorable(value) ? URL.parse(value) : null;
  return url === null
    ? { fault: `must be a web address such as https://example.com, not ${quote(given)}.` }
    : { value };
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Reads a UUID and converts it to lower case. */
function readUuid(given: Json): ValueRead {
  const value = typeof given === 'string' ? given.trim().toLowerCase() : '';
  return uuid.test(value) ? { value } : { fault: `must be a UUID, not ${quote(given)}.` };
}

/** Converts a value to its field's standard form. On failure, returns a message that names the field. */
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

/** Finds a value in the list of allowed values and returns it as spelled in the list. */
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
  const shown = values.slice(0, maxShown).map((one) => quote(one));
  const more = values.length > maxShown ? `, … (${values.length} in all)` : '';
  return {
    fault: `"${labelOf(field)}" must be one of ${shown.join(', ')}${more}, not ${quote(value)}.`,
  };
}

const maxShown = 12;
