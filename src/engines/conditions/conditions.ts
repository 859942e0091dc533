import type { Json } from '../../core/index.ts';
import { isOrdered, isTextType, type ValueKind } from '../values/types.ts';

/** All comparisons that a condition can use. */
export const comparisons = [
  ...(['equals', 'not-equals', 'less', 'at-most', 'more', 'at-least', 'between', 'in', 'not-in'] as const),
  ...(['contains', 'not-contains', 'starts-with', 'ends-with', 'empty', 'not-empty'] as const),
] as const;

/**
 * The kind of comparison between a field and a value. A field without a value matches only `empty`,
 * `not-equals`, `not-in`, `not-contains`, and negated conditions.
 */
export type Comparison = (typeof comparisons)[number];

/**
 * A condition that records must match. Fields are identified by their declared names, and each value has its
 * field's type.
 */
export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | {
      readonly field: string;
      readonly is: Comparison;
      /**
       * The value to compare with: a pair for `between`, inclusive at both ends; a list for `in` and
       * `not-in`; absent for `empty` and `not-empty`.
       */
      readonly value?: Json;
    };

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
export function comparisonsOf(type: ValueKind): readonly Comparison[] {
  if (!isOrdered(type)) return presence;
  if (type === 'boolean') return sameness;
  return isTextType(type) ? parts : order;
}

/** Returns the fields in a condition. */
export function fieldsIn(condition: Condition | undefined): readonly string[] {
  if (condition === undefined) return [];
  if ('all' in condition) return condition.all.flatMap(fieldsIn);
  if ('any' in condition) return condition.any.flatMap(fieldsIn);
  return 'not' in condition ? fieldsIn(condition.not) : [condition.field];
}

/** A field and direction to sort by. Records without a value come last. */
export interface Sort {
  readonly field: string;
  readonly direction: 'up' | 'down';
}
