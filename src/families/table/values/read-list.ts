import { asText, isJsonObject, parseJson, type Json } from '../../../core/index.ts';
import { quote } from './quote.ts';
import type { ValueRead } from './value-read.ts';

/** Reads a value of any kind; text is parsed as JSON. */
export function readJson(given: Json): ValueRead {
  const value = parseJson(asText(given));
  if (value === undefined) return { fault: `must be JSON, not ${quote(given)}.` };
  if (!isStorable(value)) return { fault: 'contains characters that databases cannot store.' };
  return { value: value === '' ? null : value };
}

/** Reads a list from JSON or comma-separated items. Items that contain a comma must be quoted. */
export function readList(given: Json): ValueRead {
  if (typeof given !== 'string') return Array.isArray(given) ? readJson(given) : noList(given);
  const text = given.trim();
  if (text.startsWith('[')) {
    const read = readJson(text);
    return 'value' in read && Array.isArray(read.value) ? read : noList(given);
  }
  const items = text.match(/\s*(?:"(?:[^"\\]|\\.)*"\s*|[^",][^,]*)(?:,|$)/gy);
  if (items?.join('') !== text || text.endsWith(',')) return noList(given);
  const values = items.map((item) => plainItem(item.replace(/,$/, '').trim()));
  if (values.includes('') || !isStorable(values)) return noList(given);
  return { value: values };
}

function plainItem(item: string): string {
  return item.startsWith('"') ? item.slice(1, -1).replace(/\\(.)/gs, '$1') : item;
}

/** Whether all strings in a value can be stored in every supported database. */
export function isStorable(value: Json): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed();
  if (Array.isArray(value)) return value.every(isStorable);
  if (!isJsonObject(value)) return true;
  return Object.entries(value).every(([key, inner]) => isStorable(key) && isStorable(inner));
}

function noList(given: Json): ValueRead {
  return { fault: `must be a list such as "a, b", not ${quote(given)}.` };
}
