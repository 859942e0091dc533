import { isJsonObject, type Json } from '../../../core/json.ts';

const emptyTexts: ReadonlySet<string> = new Set(['', 'false', '0']);

/** Whether a guard takes a value for nothing: null, false, zero, text that says so or is blank, and what has no members. */
export function isEmptyValue(value: Json): boolean {
  if (typeof value === 'string') return emptyTexts.has(value.trim().toLowerCase());
  if (Array.isArray(value)) return value.length === 0;
  if (isJsonObject(value)) return Object.keys(value).length === 0;
  return value === null || value === false || value === 0;
}
