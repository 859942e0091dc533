import { hash } from 'node:crypto';
import { isJsonObject, type Json } from './json.ts';

/** Short and the same for equal values, whatever the order of their keys: 16 hexadecimal characters. */
export function hashOf(value: Json): string {
  return hash('sha256', canonicalJson(value)).slice(0, 16);
}

/** The one text of a value: keys in the order of their code units, no white space. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((item: Json) => canonicalJson(item)).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`);
  return `{${members.join(',')}}`;
}
