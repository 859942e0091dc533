import { canonicalJson, type Json } from '../../../core/index.ts';
import type { Field } from '../table.ts';
import { isExact } from './is-exact.ts';

/** Compares two non-null values of a field. Returns a negative number, 0, or a positive number. */
export function compareValues(field: Field, a: Json, b: Json): number {
  if (field.type === 'bigint') return order(wholeOf(a), wholeOf(b));
  if (typeof a === 'number' && typeof b === 'number') return order(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return order(Number(a), Number(b));
  const [first, second] = [asText(a), asText(b)];
  return isExact(field) ? compareText(first, second) : compareText(foldText(first), foldText(second));
}

/** Converts ASCII letters to lowercase. Other letters are unchanged, as in the databases. */
export function foldText(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Compares strings by their UTF-8 bytes, which matches code point order. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function wholeOf(value: Json): bigint {
  return BigInt(typeof value === 'string' || typeof value === 'number' ? value : 0);
}

function asText(value: Json): string {
  return typeof value === 'string' ? value : canonicalJson(value);
}

function order<Value extends number | bigint>(a: Value, b: Value): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
