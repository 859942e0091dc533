import type { Json } from '../../../core/index.ts';
import type { Field, Table, TableRow } from '../table.ts';
import { compareValues, foldText } from './compare-values.ts';
import { isExact } from './is-exact.ts';
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
