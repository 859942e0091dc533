import type { Comparison, Condition } from './request.ts';

/** All of some conditions; one alone is itself. */
export function allOf(conditions: readonly Condition[]): Condition | undefined {
  const flat = conditions.flatMap((one) => ('all' in one ? one.all : [one]));
  return flat.length > 1 ? { all: flat } : flat[0];
}

/** Any of some conditions; one alone is itself. */
export function anyOf(conditions: readonly Condition[]): Condition | undefined {
  const flat = conditions.flatMap((one) => ('any' in one ? one.any : [one]));
  return flat.length > 1 ? { any: flat } : flat[0];
}

/** What all records fit that do not fit a condition, in as few words as there are. */
export function negate(condition: Condition): Condition {
  if ('not' in condition) return condition.not;
  if (!('field' in condition)) return { not: condition };
  const is = complements.get(condition.is);
  return is === undefined ? { not: condition } : { ...condition, is };
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
