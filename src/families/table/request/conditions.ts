import type { Comparison, Condition } from './request.ts';

/**
 * Combines conditions into one that requires all of them. A single condition is returned unchanged, and an
 * empty list matches every record.
 */
export function allOf(conditions: readonly Condition[]): Condition {
  const flat = conditions.flatMap((one) => ('all' in one ? one.all : [one]));
  const [first = { all: [] }, ...others] = flat;
  return others.length > 0 ? { all: flat } : first;
}

/**
 * Combines conditions into one that requires at least one of them. A single condition is returned unchanged,
 * and an empty list matches no record.
 */
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
