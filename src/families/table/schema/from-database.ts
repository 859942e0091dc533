import type { Json, SqlValue } from '../../../core/index.ts';
import type { Field } from '../table.ts';
import { wholeNumber } from '../values/whole-number.ts';
import type { Storage } from './physical.ts';

/**
 * Converts a stored value to a field value. Other stored forms of the same value are accepted too. A value
 * that is not of the field's type is returned unchanged.
 */
export function fromDatabase(
  { form }: Pick<Storage, 'form'>,
  { type }: Pick<Field, 'type'>,
  raw: SqlValue,
): Json {
  if (raw === null || raw === '') return null;
  if (raw instanceof Uint8Array) return `\\x${Buffer.from(raw).toString('hex')}`;
  switch (type) {
    case 'integer':
    case 'bigint':
      return wholeOf(raw);
    case 'decimal':
      return decimalOf(raw);
    case 'boolean':
      return booleanOf(raw);
    case 'date':
      return /^\d{4}-\d{2}-\d{2}(?=$|[ T])/.exec(textOf(raw))?.[0] ?? plain(raw);
    case 'datetime':
      return readStoredDatetime(textOf(raw)) ?? plain(raw);
    case 'time':
      return timeOf(textOf(raw)) ?? plain(raw);
    case 'json':
    case 'array':
      return form === 'json' ? jsonOf(raw) : plain(raw);
    case 'uuid':
      return textOf(raw).toLowerCase();
    case 'string':
    case 'text':
    case 'email':
    case 'url':
      return textOf(raw);
  }
}

type Raw = string | number | bigint | boolean;

function wholeOf(raw: Raw): Json {
  if (typeof raw === 'boolean') return Number(raw);
  if (typeof raw === 'number') return raw;
  if (typeof raw === 'string' && !/^-?\d+(?:\.0*)?$/.test(raw)) return raw;
  return wholeNumber(BigInt(typeof raw === 'string' ? raw.replace(/\..*$/, '') : raw));
}

function decimalOf(raw: Raw): Json {
  const number = typeof raw === 'string' && raw.trim() === '' ? Number.NaN : Number(raw);
  return Number.isFinite(number) ? number : plain(raw);
}

function booleanOf(raw: Raw): Json {
  if (typeof raw === 'boolean') return raw;
  const text = String(raw).toLowerCase();
  if (['1', 't', 'true', 'y', 'yes', 'on'].includes(text)) return true;
  return ['0', 'f', 'false', 'n', 'no', 'off'].includes(text) ? false : plain(raw);
}

function timeOf(text: string): string | undefined {
  const found = /^(\d{2}:\d{2})(:\d{2})?(?:\.\d*)?$/.exec(text);
  return found === null ? undefined : `${found[1]}${found[2] ?? ':00'}`;
}

function jsonOf(raw: Raw): Json {
  if (typeof raw !== 'string') return plain(raw);
  try {
    return JSON.parse(raw) as Json;
  } catch {
    return raw; // Other programs can store plain text in a JSON column.
  }
}

function plain(raw: Raw): Json {
  return typeof raw === 'bigint' ? raw.toString() : raw;
}

function textOf(raw: Raw): string {
  return String(raw);
}

const form =
  /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2})(:\d{2})?(?:\.(\d{1,9}))?)? ?(?:Z|([+-]\d{2})(?::?(\d{2}))?)?$/;

/**
 * Converts a date and time as printed by a database to `YYYY-MM-DDTHH:mm:ss.sssZ`. UTC is assumed if there is
 * no time zone. Returns undefined for an invalid time.
 */
function readStoredDatetime(text: string): string | undefined {
  const found = form.exec(text);
  if (found === null) return undefined;
  const [, day, clock = '00:00', seconds = ':00', fraction = '', hours, minutes = '00'] = found;
  const zone = hours === undefined ? 'Z' : `${hours}:${minutes}`;
  const time = new Date(`${day}T${clock}${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}${zone}`);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
