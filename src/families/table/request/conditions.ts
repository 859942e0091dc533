import type { FieldType } from '../descriptor/definition.ts';
import type { Comparison, Condition, Measure } from './request.ts';

/**
 * Combines conditions into one that requires all of them. A single condition is returned unchanged, and an
 * empty list matches every record.
 */
export function allOf(conditions: readonly Condition[]): Condition {
  const flat = conditions.flatMap((one) => ('all' in one ? one.all : [one]));
  const [first = { all: [] }, ...others] = flat;
  return others.length > 0 ? { all: flat } : first;
}

/** Combines conditions into one that requires at least one of them. An empty list matches no record. */
export function anyOf(conditions: readonly Condition[]): Condition {
  const flat = conditions.flatMap((one) => ('any' in one ? one.any : [one]));
  const [first = { any: [] }, ...others] = flat;
  return others.length > 0 ? { any: flat } : first;
}

/** Returns the negation of a condition in its shortest form. */
export function negate(condition: Condition): Condition {
  if ('not' in condition) return condition.not;
  if (!('field' in condition)) return { not: condition };
  const is = complements.get(condition.is);
  return is === undefined ? { not: condition } : { ...condition, is };
}

/** Returns the negation of a condition. For `any`, that is `all` of the negated conditions. */
export function negateAny(condition: Condition): Condition {
  return 'any' in condition ? allOf(condition.any.map(negate)) : negate(condition);
}

const pairs: readonly (readonly [Comparison, Comparison])[] = [
  ['equals', 'not-equals'],
  ['in', 'not-in'],
  ['contains', 'not-contains'],
  ['empty', 'not-empty'],
];
const complements: ReadonlyMap<Comparison, Comparison> = new Map(
  pairs.flatMap(([one, other]) => [[one, other] as const, [other, one] as const]),
);

const presence: readonly Comparison[] = ['empty', 'not-empty'];
const sameness: readonly Comparison[] = [...presence, 'equals', 'not-equals', 'in', 'not-in'];
const order: readonly Comparison[] = [...sameness, 'less', 'at-most', 'more', 'at-least', 'between'];
const parts: readonly Comparison[] = [...order, 'contains', 'not-contains', 'starts-with', 'ends-with'];

/** Returns the comparisons that are supported for a type. */
export function comparisonsOf(type: FieldType): readonly Comparison[] {
  if (!isOrdered(type)) return presence;
  if (type === 'boolean') return sameness;
  return isTextType(type) ? parts : order;
}

/** Whether a type's values are text that supports substring search. */
export function isTextType(type: FieldType): boolean {
  return type === 'string' || type === 'text' || type === 'email' || type === 'url';
}

/** Whether a type's values can be added up. */
export function isNumeric(type: FieldType): boolean {
  return type === 'integer' || type === 'bigint' || type === 'decimal';
}

/** Whether a minimum and maximum can be computed for a type. */
export function isMeasurable(type: FieldType): boolean {
  return isNumeric(type) || type === 'date' || type === 'datetime' || type === 'time';
}

/** Whether a measure is meaningful for a type. */
export function mayMeasure(measure: Measure, type: FieldType): boolean {
  return measure === 'sum' || measure === 'average' ? isNumeric(type) : isMeasurable(type);
}

/** Whether records can be sorted or grouped by a type's values. */
export function isOrdered(type: FieldType): boolean {
  return type !== 'json' && type !== 'array';
}
