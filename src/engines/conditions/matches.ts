import { canonicalJson, compareText, foldText, type Json } from '../../core/index.ts';
import { isTextType, type ValueKind } from '../values/types.ts';
import type { Comparison, Condition } from './conditions.ts';

/** A field whose values are compared. Those of keys, unique fields and references are compared exactly. */
interface ComparedField {
  readonly name: string;
  readonly type: ValueKind;
  readonly key?: unknown;
  readonly unique?: true;
  readonly references?: unknown;
}

/** Finds fields by name. */
interface FieldFinder {
  find(name: string): ComparedField | undefined;
}

type Row = Readonly<Record<string, Json>>;

/**
 * Whether a record matches a condition. This function defines what conditions mean; databases must give the
 * same results.
 */
export function matches(table: FieldFinder, condition: Condition, row: Row): boolean {
  if ('all' in condition) return condition.all.every((one) => matches(table, one, row));
  if ('any' in condition) return condition.any.some((one) => matches(table, one, row));
  if ('not' in condition) return !matches(table, condition.not, row);
  const field = table.find(condition.field);
  if (field === undefined) return false;
  const { is, value = null } = condition;
  const found = Object.hasOwn(row, field.name) ? (row[field.name] ?? null) : null;
  return tests[is](field, found === '' ? null : found, value);
}

type Test = (field: ComparedField, found: Json, value: Json) => boolean;

const isSame: Test = (field, found, value) =>
  found !== null && value !== null && compareValues(field, found, value) === 0;
const isAmong: Test = (field, found, values) =>
  Array.isArray(values) && values.some((value: Json) => isSame(field, found, value));
const isWithin: Test = (field, found, value) => {
  const [low = null, high = null] = Array.isArray(value) ? (value as readonly Json[]) : [];
  if (found === null || low === null || high === null) return false;
  return compareValues(field, found, low) >= 0 && compareValues(field, found, high) <= 0;
};
const contains = textTest((found, value) => found.includes(value));

const tests: Readonly<Record<Comparison, Test>> = {
  empty: (_field, found) => found === null,
  'not-empty': (_field, found) => found !== null,
  equals: isSame,
  'not-equals': (...given) => !isSame(...given),
  in: isAmong,
  'not-in': (...given) => !isAmong(...given),
  contains,
  'not-contains': (...given) => !contains(...given),
  'starts-with': textTest((found, value) => found.startsWith(value)),
  'ends-with': textTest((found, value) => found.endsWith(value)),
  less: orderTest((order) => order < 0),
  'at-most': orderTest((order) => order <= 0),
  more: orderTest((order) => order > 0),
  'at-least': orderTest((order) => order >= 0),
  between: isWithin,
};

function textTest(fits: (found: string, value: string) => boolean): Test {
  return (field, found, value) => {
    if (typeof found !== 'string' || typeof value !== 'string') return false;
    return isExact(field) ? fits(found, value) : fits(foldText(found), foldText(value));
  };
}

function orderTest(fits: (order: number) => boolean): Test {
  return (field, found, value) =>
    found !== null && value !== null && fits(compareValues(field, found, value));
}

/** Compares two non-null values of a field. Returns a negative number, 0, or a positive number. */
export function compareValues(field: ComparedField, a: Json, b: Json): number {
  if (field.type === 'bigint') return compareOrder(wholeOf(a), wholeOf(b));
  if (typeof a === 'number' && typeof b === 'number') return compareOrder(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return compareOrder(Number(a), Number(b));
  const [first, second] = [a, b].map((value) => (typeof value === 'string' ? value : canonicalJson(value)));
  const [one, other] = [first ?? '', second ?? ''];
  return isExact(field) ? compareText(one, other) : compareText(foldText(one), foldText(other));
}

function wholeOf(value: Json): bigint {
  return BigInt(typeof value === 'string' || typeof value === 'number' ? value : 0);
}

function compareOrder<Value extends number | bigint>(a: Value, b: Value): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Whether a field's text is compared exactly. Otherwise, comparisons ignore the case of ASCII letters. */
export function isExact({ type, key, unique, references }: ComparedField): boolean {
  return !isTextType(type) || key !== undefined || unique === true || references !== undefined;
}

/**
 * Whether a record violates a rule. As in database check constraints, a
 * comparison passes if its field has no value: `price is at least 0` allows a record without a price. Pure.
 */
export function breaksRule(table: FieldFinder, holds: Condition, row: Row): boolean {
  return verdictOf(table, holds, row) === false;
}

/** Evaluates a condition. Returns undefined if the result depends on a missing value. */
function verdictOf(table: FieldFinder, condition: Condition, row: Row): boolean | undefined {
  if ('all' in condition || 'any' in condition) {
    const decides = 'any' in condition;
    const parts = 'any' in condition ? condition.any : condition.all;
    const verdicts = parts.map((part) => verdictOf(table, part, row));
    if (verdicts.includes(decides)) return decides;
    return verdicts.includes(undefined) ? undefined : !decides;
  }
  if ('not' in condition) {
    const verdict = verdictOf(table, condition.not, row);
    return verdict === undefined ? undefined : !verdict;
  }
  const { field, is } = condition;
  const isAbout = is === 'empty' || is === 'not-empty';
  return !isAbout && (row[field] ?? null) === null ? undefined : matches(table, condition, row);
}
