import type { Expression } from './expressions/expression.ts';

/** Fields that are worked out, each after all that it follows from, and those that follow from themselves. Pure. */
export function orderDerived(derived: ReadonlyMap<string, Expression>): {
  readonly ordered: readonly string[];
  /** In the order given; they cannot be worked out. */
  readonly circular: readonly string[];
} {
  const needs = new Map([...derived].map(([name, expression]) => [name, fieldsIn(expression)]));
  const first = settle(needs);
  if (first.length === needs.size) return { ordered: first, circular: [] };
  const left = [...needs.keys()].filter((name) => !first.includes(name));
  const circular = left.filter((name) => reached(name, needs).has(name));
  for (const name of circular) needs.delete(name);
  return { ordered: settle(needs), circular };
}

/** The names of which each comes after all that it needs, as far as that is possible. */
function settle(needs: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const settled = new Set<string>();
  for (let before = -1; before !== settled.size;) {
    before = settled.size;
    for (const [name, needed] of needs) {
      if ([...needed].every((other) => !needs.has(other) || settled.has(other))) settled.add(name);
    }
  }
  return [...settled];
}

/** The names of all fields in an expression. */
function fieldsIn(expression: Expression): ReadonlySet<string> {
  if ('value' in expression) return new Set();
  if ('field' in expression) return new Set([expression.field]);
  return new Set(expression.of.flatMap((part) => [...fieldsIn(part)]));
}

/** Everything that something follows from, however far. */
function reached(from: string, needs: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const found = new Set(needs.get(from));
  for (const name of found) for (const other of needs.get(name) ?? []) found.add(other);
  return found;
}
