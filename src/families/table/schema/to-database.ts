import { asText, type Json, type SqlValue } from '../../../core/index.ts';
import type { Storage } from './physical.ts';

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
      return typeof value === 'number' ? value !== 0 : plain(value);
    case 'spaced-datetime':
      return asText(value)
        .replace('T', ' ')
        .replace(/(?:\.000)?Z$/, '');
    case 'bytes':
      return bytesOf(asText(value));
    case 'text':
    case 'numeric':
    case 'date':
    case 'datetime':
    case 'time':
    case 'uuid':
    case 'other':
      return asText(value);
  }
}

function numberOf(value: Json): SqlValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value === 0 ? 0 : plain(value); // Normalises negative zero to zero.
}

function plain(value: Json): SqlValue {
  return typeof value === 'object' ? JSON.stringify(value) : value;
}

function bytesOf(text: string): SqlValue {
  return /^\\x(?:[0-9a-f]{2})*$/i.test(text) ? new Uint8Array(Buffer.from(text.slice(2), 'hex')) : text;
}
