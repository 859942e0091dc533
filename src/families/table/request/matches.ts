import { canonicalJson, type Json } from '../../../core/index.ts';
import type { Field, Table, TableRow } from '../table.ts';
import { isTextType } from './comparisons-of.ts';
import type { Condition } from './request.ts';

/**
 * Whether a record matches a condition. This function defines what conditions mean; databases must give the
 * same results.
 */
export function matches(table: Pick<Table, 'find'>, condition: Condition, row: TableRow): boolean {
  if ('all' in condition) return condition.all.every((one) => matches(table, one, row));
  if ('any' in condition) return condition.any.some((one) => matches(table, one, row));
  if ('not' in condition) return !matches(table, condition.not, row);
  const field = table.find(condition.field);
  if (field === undefined) return false;
  const found = Object.hasOwn(row, field.name) ? (row[field.name] ?? null) : null;
  return fits(field, found === '' ? null : found, condition);
}

type Leaf = Extract<Condition, { readonly field: string }>;

function fits(field: Field, found: Json, { is, value = null }: Leaf): boolean {
  switch (is) {
    case 'empty':
      return found === null;
    case 'not-empty':
      return found !== null;
    case 'not-equals':
      return !isSame(field, found, value);
    case 'not-in':
      return !isAmong(field, found, value);
    case 'not-contains':
      return !contains(field, found, value);
    case 'equals':
      return isSame(field, found, value);
    case 'in':
      return isAmong(field, found, value);
    case 'contains':
      return contains(field, found, value);
    case 'starts-with':
      return isText(found) && isText(value) && searched(field, found).startsWith(searched(field, value));
    case 'ends-with':
      return isText(found) && isText(value) && searched(field, found).endsWith(searched(field, value));
    default:
      return found !== null && value !== null && isPlaced(field, found, is, value);
  }
}

function isPlaced(
  field: Field,
  found: Json,
  is: 'less' | 'at-most' | 'more' | 'at-least' | 'between',
  value: Json,
): boolean {
  if (is === 'between') {
    const [low = null, high = null] = Array.isArray(value) ? (value as readonly Json[]) : [];
    if (low === null || high === null) return false;
    return compareValues(field, found, low) >= 0 && compareValues(field, found, high) <= 0;
  }
  const order = compareValues(field, found, value);
  if (is === 'less') return order < 0;
  if (is === 'at-most') return order <= 0;
  return is === 'more' ? order > 0 : order >= 0;
}

function isSame(field: Field, found: Json, value: Json): boolean {
  return found !== null && value !== null && compareValues(field, found, value) === 0;
}

function isAmong(field: Field, found: Json, values: Json): boolean {
  return Array.isArray(values) && values.some((value: Json) => isSame(field, found, value));
}

function contains(field: Field, found: Json, value: Json): boolean {
  return isText(found) && isText(value) && searched(field, found).includes(searched(field, value));
}

function searched(field: Field, text: string): string {
  return isExact(field) ? text : foldText(text);
}

function isText(value: Json): value is string {
  return typeof value === 'string';
}

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

/** Whether a field's text is compared exactly. Otherwise, comparisons ignore the case of ASCII letters. */
export function isExact({ type, key, unique, references }: Field): boolean {
  return !isTextType(type) || key !== undefined || unique === true || references !== undefined;
}
