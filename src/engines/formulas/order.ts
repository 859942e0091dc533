import type { Expression } from './formula.ts';

/**
 * Sorts derived fields so that each comes after its dependencies, and finds fields with circular
 * dependencies. Pure.
 */
export function orderDerived(derived: ReadonlyMap<string, Expression>): {
  readonly ordered: readonly string[];
  /** The fields with circular dependencies, which cannot be computed, in their original order. */
  readonly circular: readonly string[];
} {
  const needs = new Map([...derived].map(([name, expression]) => [name, new Set(fieldsIn(expression))]));
  const first = settle(needs);
  if (first.length === needs.size) return { ordered: first, circular: [] };
  const left = [...needs.keys()].filter((name) => !first.includes(name));
  const circular = left.filter((name) => reached(name, needs).has(name));
  for (const name of circular) needs.delete(name);
  return { ordered: settle(needs), circular };
}

type Needs = ReadonlyMap<string, ReadonlySet<string>>;

/** Sorts names so that each one comes after its dependencies, as far as possible. */
function settle(needs: Needs): readonly string[] {
  const settled = new Set<string>();
  for (let before = -1; before !== settled.size;) {
    before = settled.size;
    for (const [name, needed] of needs) {
      if ([...needed].every((other) => !needs.has(other) || settled.has(other))) settled.add(name);
    }
  }
  return [...settled];
}

/** Returns the names of all fields in an expression. */
function fieldsIn(expression: Expression): readonly string[] {
  if ('value' in expression) return [];
  return 'field' in expression ? [expression.field] : expression.of.flatMap(fieldsIn);
}

/** Returns all direct and indirect dependencies of a name. */
function reached(from: string, needs: Needs): ReadonlySet<string> {
  const found = new Set(needs.get(from));
  for (const name of found) for (const other of needs.get(name) ?? []) found.add(other);
  return found;
}
