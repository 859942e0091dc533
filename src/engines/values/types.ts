import { asText, isJsonObject, parseJson, quote, visible, type Json } from '../../core/index.ts';
import { dayNumber, type LocalClock } from './calendar.ts';
import { readDate, readInstant, readTime, showInstant } from './dates.ts';
import { plainDigits, readBigint, readDecimal, readInteger, type ValueRead } from './numbers.ts';

/** The kinds of typed values. */
export type ValueKind =
  | 'string'
  | 'text'
  | 'integer'
  | 'bigint'
  | 'decimal'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'time'
  | 'json'
  | 'array'
  | 'email'
  | 'url'
  | 'uuid';

/** Everything that is special about the values of a type. */
interface ValueType {
  /** The type's name with its article, as in "… is not a whole number". */
  readonly name: string;
  /** Converts a value that is not empty to the standard form. */
  read(given: Json, clock: LocalClock): ValueRead;
  /** Whether a value that is not null has the form in which the type's values are stored. */
  isStandard(value: Json): boolean;
  /** Formats a value. Returns undefined for a value that is formatted like those of other types. */
  show?(value: Json, clock: LocalClock): string | undefined;
}

const address = /^[^\s@"(),:;<>[\]\\]{1,64}@[^\s@"(),:;<>[\]\\.]+(?:\.[^\s@"(),:;<>[\]\\.]+)+$/;
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

const text: ValueType = {
  name: 'text',
  read: readText,
  isStandard: (value) => typeof value === 'string' && value !== '' && value.isWellFormed(),
};
const integer: ValueType = {
  name: 'a whole number',
  read: readInteger,
  isStandard: (value) => Number.isSafeInteger(value),
};

/** The types of values. */
export const valueTypes: Readonly<Record<ValueKind, ValueType>> = {
  string: text,
  text,
  integer,
  bigint: {
    ...integer,
    read: readBigint,
    isStandard: (value) => Number.isSafeInteger(value) || fits(/^-?[1-9]\d{15,18}$/, value),
  },
  decimal: { name: 'a number', read: readDecimal, isStandard: (value) => Number.isFinite(value) },
  boolean: {
    name: 'true or false',
    read: readBoolean,
    isStandard: (value) => typeof value === 'boolean',
    show: (value) => (value === true ? 'yes' : value === false ? 'no' : undefined),
  },
  date: {
    name: 'a date such as 2026-05-31',
    read: readDate,
    isStandard: (value) => fits(/^.{10}$/, value) && isDay(value),
  },
  datetime: {
    name: 'a time such as 2026-05-31T14:00:00.000Z',
    read: readInstant,
    isStandard: (value) => fits(/^.{10}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/, value) && isDay(value),
    show: (value, { zone }) => (typeof value === 'string' ? showInstant(value, zone) : undefined),
  },
  time: {
    name: 'a time of day such as 14:00:00',
    read: readTime,
    isStandard: (value) => fits(/^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/, value),
    show: (value) => (typeof value === 'string' ? value.replace(/^(\d\d:\d\d):00$/, '$1') : undefined),
  },
  json: {
    name: 'JSON',
    read: readJson,
    isStandard: () => true,
    show: (value) => visible(JSON.stringify(value)),
  },
  array: { name: 'a list', read: readList, isStandard: Array.isArray },
  email: {
    ...text,
    name: 'an email address',
    read: readForm(
      'an email address such as name@example.com',
      (value) => value.length <= 254 && address.test(value),
    ),
  },
  url: {
    ...text,
    name: 'a web address',
    read: readForm(
      'a web address such as https://example.com',
      (value) => /^https?:\/\/[^\s]+$/i.test(value) && URL.canParse(value),
    ),
  },
  uuid: {
    name: 'a UUID',
    read: (given) =>
      typeof given === 'string' && uuid.test(given.trim())
        ? { value: given.trim().toLowerCase() }
        : { fault: `must be a UUID, not ${quote(given)}.` },
    isStandard: (value) => fits(uuid, value),
  },
};

function fits(form: RegExp, value: Json): boolean {
  return typeof value === 'string' && form.test(value);
}

/** Whether text begins with a valid calendar date in the years 0001 to 9999. */
function isDay(value: Json): boolean {
  const [, year = 0, month = 0, day = 0] =
    /^(\d{4})-(\d\d)-(\d\d)(?:T|$)/.exec(asText(value))?.map(Number) ?? [];
  return dayNumber(year, month, day) !== undefined;
}

function readText(given: Json): ValueRead {
  if (typeof given === 'object') return { fault: `must be text, not ${quote(given)}.` };
  const value = String(given);
  return isStorable(value) ? { value } : unstorable;
}

const unstorable = { fault: 'contains characters that databases cannot store.' };

/** Whether all strings in a value can be stored in every supported database. */
export function isStorable(value: Json): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed();
  if (Array.isArray(value)) return value.every(isStorable);
  if (!isJsonObject(value)) return true;
  return Object.entries(value).every(([key, inner]) => isStorable(key) && isStorable(inner));
}

function readBoolean(given: Json): ValueRead {
  const word = typeof given === 'object' ? '' : String(given).trim().toLowerCase();
  if (['yes', 'true', 'on', '1'].includes(word)) return { value: true };
  if (['no', 'false', 'off', '0'].includes(word)) return { value: false };
  return { fault: `must be yes or no, not ${quote(given)}.` };
}

/** Reads text that has a form, without spaces around it. */
function readForm(what: string, hasForm: (value: string) => boolean): ValueType['read'] {
  return (given) => {
    const value = typeof given === 'string' ? given.trim() : '';
    return hasForm(value) && isStorable(value)
      ? { value }
      : { fault: `must be ${what}, not ${quote(given)}.` };
  };
}

/** Reads a value of any kind; text is parsed as JSON. */
function readJson(given: Json): ValueRead {
  const value = parseJson(asText(given));
  if (value === undefined) return { fault: `must be JSON, not ${quote(given)}.` };
  return isStorable(value) ? { value: value === '' ? null : value } : unstorable;
}

/** Reads a list from JSON or comma-separated items. Items that contain a comma must be quoted. */
function readList(given: Json): ValueRead {
  const wrong = { fault: `must be a list such as "a, b", not ${quote(given)}.` };
  if (typeof given !== 'string') return Array.isArray(given) ? readJson(given) : wrong;
  const list = given.trim();
  if (list.startsWith('[')) {
    const read = readJson(list);
    return 'value' in read && Array.isArray(read.value) ? read : wrong;
  }
  const items = list.match(/\s*(?:"(?:[^"\\]|\\.)*"\s*|[^",][^,]*)(?:,|$)/gy);
  if (items?.join('') !== list || list.endsWith(',')) return wrong;
  const values = items
    .map((item) => item.replace(/,$/, '').trim())
    .map((item) => (item.startsWith('"') ? item.slice(1, -1).replace(/\\(.)/gs, '$1') : item));
  return values.includes('') || !isStorable(values) ? wrong : { value: values };
}

function showList(items: readonly Json[]): string {
  const texts = items.filter((item) => typeof item === 'string' && plainItem.test(item));
  const isPlain = items.length > 0 && texts.length === items.length;
  return visible(isPlain ? (texts as readonly string[]).join(', ') : JSON.stringify(items));
}

const plainItem = /^[^\s",[\]](?:[^",\p{C}]*[^\s",\p{C}])?$/u;

/**
 * Formats a value for display, on one line and without hidden characters. The type can read it back,
 * unless the value was empty or had to be altered.
 */
export function showValue({ type }: { readonly type: ValueKind }, value: Json, clock: LocalClock): string {
  if (value === null || value === '') return '—';
  const shown = valueTypes[type].show?.(value, clock);
  if (shown !== undefined) return shown;
  if (Array.isArray(value)) return showList(value);
  if (typeof value === 'object') return visible(JSON.stringify(value));
  return typeof value === 'number' ? plainDigits(value) : visible(String(value));
}

/** Whether a type's values are text in any form, whose spaces count. */
export function isFreeText(type: ValueKind): boolean {
  return type === 'string' || type === 'text';
}

/** Whether a type's values are text that supports substring search. */
export function isTextType(type: ValueKind): boolean {
  return type === 'string' || type === 'text' || type === 'email' || type === 'url';
}

/** Whether a type's values can be added up. */
export function isNumeric(type: ValueKind): boolean {
  return type === 'integer' || type === 'bigint' || type === 'decimal';
}

/** Whether a minimum and maximum can be computed for a type. */
export function isMeasurable(type: ValueKind): boolean {
  return isNumeric(type) || type === 'date' || type === 'datetime' || type === 'time';
}

/** Whether a type's values can be sorted. */
export function isOrdered(type: ValueKind): boolean {
  return type !== 'json' && type !== 'array';
}
