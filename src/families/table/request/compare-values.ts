import { canonicalJson, type Json } from '../../../core/index.ts';
import type { Field } from '../table.ts';
import { isExact } from './is-exact.ts';

/** How two values of a field, neither null, stand to each other: less than 0, 0 or more. */
export function compareValues(field: Field, a: Json, b: Json): number {
  if (field.type === 'bigint') return order(wholeOf(a), wholeOf(b));
  if (typeof a === 'number' && typeof b === 'number') return order(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return order(Number(a), Number(b));
  const [first, second] = [asText(a), asText(b)];
  return isExact(field) ? compareText(first, second) : compareText(foldText(first), foldText(second));
}

/** Text with ASCII letters in lower case; others stay as they are, as in the databases. */
export function foldText(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** By the bytes of UTF-8, which is the order of code points. */
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
