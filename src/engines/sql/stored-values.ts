import { asText, type Json, type SqlValue } from '../../core/index.ts';
import { wholeNumber } from '../values/numbers.ts';
import type { ValueKind } from '../values/types.ts';
import { groupOf, type Storage, type TypeGroup } from './column-types.ts';

/**
 * Converts a value to its stored form. Returns a value unchanged if it does not fit the column; the database
 * then rejects it.
 */
export function toDatabase({ form }: Pick<Storage, 'form'>, value: Json): SqlValue {
  if (value === null || value === '') return null;
  switch (form) {
    case 'json':
      return JSON.stringify(value);
    case 'integer':
      return typeof value === 'string' && /^-?\d{1,30}$/.test(value) ? BigInt(value) : numberOf(value);
    case 'real':
      return numberOf(value);
    case 'boolean':
      return typeof value === 'number' ? value !== 0 : scalarOf(value);
    case 'spaced-datetime':
      return asText(value)
        .replace('T', ' ')
        .replace(/(?:\.000)?Z$/, '');
    case 'bytes':
      return bytesOf(asText(value));
    default:
      return asText(value);
  }
}

function numberOf(value: Json): SqlValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value === 0 ? 0 : scalarOf(value); // Normalises negative zero to zero.
}

function scalarOf(value: Json): SqlValue {
  return typeof value === 'object' ? JSON.stringify(value) : value;
}

function bytesOf(text: string): SqlValue {
  return /^\\x(?:[0-9a-f]{2})*$/i.test(text) ? new Uint8Array(Buffer.from(text.slice(2), 'hex')) : text;
}

/**
 * Converts a stored value to a typed value. Other stored forms of the same value are accepted too. A value
 * that is not of the type is returned unchanged.
 */
export function fromDatabase(
  { form }: Pick<Storage, 'form'>,
  { type }: { readonly type: ValueKind },
  raw: SqlValue,
): Json {
  if (raw === null || raw === '') return null;
  if (raw instanceof Uint8Array) return `\\x${Buffer.from(raw).toString('hex')}`;
  const value = readers[groupOf(type)](raw, form);
  if (value !== undefined) return value;
  return typeof raw === 'bigint' ? raw.toString() : raw;
}

type Raw = string | number | bigint | boolean;
type Reader = (raw: Raw, form: Storage['form']) => Json | undefined;

const readJson: Reader = (raw, form) =>
  form === 'json' && typeof raw === 'string' ? parsed(raw) : undefined;

/** Functions that convert a stored value, by type. They return undefined for a value of another type. */
const readers: Readonly<Record<TypeGroup, Reader>> = {
  text: String,
  whole: readWhole,
  decimal(raw) {
    const number = typeof raw === 'string' && raw.trim() === '' ? Number.NaN : Number(raw);
    return Number.isFinite(number) ? number : undefined;
  },
  boolean(raw) {
    const text = String(raw).toLowerCase();
    if (['1', 't', 'true', 'y', 'yes', 'on'].includes(text)) return true;
    return ['0', 'f', 'false', 'n', 'no', 'off'].includes(text) ? false : undefined;
  },
  date: (raw) => /^\d{4}-\d{2}-\d{2}(?=$|[ T])/.exec(String(raw))?.[0],
  datetime: readDatetime,
  time(raw) {
    const [, time, seconds = ':00'] = /^(\d{2}:\d{2})(:\d{2})?(?:\.\d*)?$/.exec(String(raw)) ?? [];
    return time === undefined ? undefined : time + seconds;
  },
  json: readJson,
  array: readJson,
  uuid: (raw) => String(raw).toLowerCase(),
};

function readWhole(raw: Raw): Json | undefined {
  if (typeof raw === 'boolean') return Number(raw);
  if (typeof raw === 'number') return raw;
  if (typeof raw === 'string' && !/^-?\d+(?:\.0*)?$/.test(raw)) return undefined;
  return wholeNumber(BigInt(typeof raw === 'string' ? raw.replace(/\..*$/, '') : raw));
}

function parsed(raw: string): Json {
  try {
    return JSON.parse(raw) as Json;
  } catch {
    return raw; // Other programs can store plain text in a JSON column.
  }
}

const datetime =
  /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2})(:\d{2})?(?:\.(\d{1,9}))?)? ?(?:Z|([+-]\d{2})(?::?(\d{2}))?)?$/;

/**
 * Converts a date and time as printed by a database to `YYYY-MM-DDTHH:mm:ss.sssZ`. UTC is assumed if there is
 * no time zone. Returns undefined for an invalid time.
 */
function readDatetime(raw: Raw): string | undefined {
  const found = datetime.exec(String(raw));
  if (found === null) return undefined;
  const [, day, clock = '00:00', seconds = ':00', fraction = '', hours, minutes = '00'] = found;
  const zone = hours === undefined ? 'Z' : `${hours}:${minutes}`;
  const time = new Date(`${day}T${clock}${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}${zone}`);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
