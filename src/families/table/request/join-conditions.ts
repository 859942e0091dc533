import type { Comparison, Condition } from './request.ts';

/** All of some conditions; one alone is itself, and every record fits none of them. */
export function allOf(conditions: readonly Condition[]): Condition {
  const flat = conditions.flatMap((one) => ('all' in one ? one.all : [one]));
  const [first = { all: [] }, ...others] = flat;
  return others.length > 0 ? { all: flat } : first;
}

/** Any of some conditions; one alone is itself, and no record fits none of them. */
export function anyOf(conditions: readonly Condition[]): Condition {
  const flat = conditions.flatMap((one) => ('any' in one ? one.any : [one]));
  const [first = { any: [] }, ...others] = flat;
  return others.length > 0 ? { any: flat } : first;
}

/** What all records fit that do not fit a condition, in as few words as there are. */
export function negate(condition: Condition): Condition {
  if ('not' in condition) return condition.not;
  if (!('field' in condition)) return { not: condition };
  const is = complements.get(condition.is);
  return is === undefined ? { not: condition } : { ...condition, is };
}

/** The same for a choice: none of what it lists holds. */
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
