import type { TableField } from '../descriptor/definition.ts';
import { labelOf } from '../show/text.ts';
import type { Expression } from '../table.ts';
import { applyProse, cleanDrafts, isChanged, putValue, type DraftPlan } from './drafts.ts';
import { evaluate, readExpression, type FindField } from './read-expression.ts';

/**
 * Parses the expressions of derived fields. Fields with circular dependencies are excluded and returned
 * separately. Pure.
 */
export function readDerived(
  fields: readonly Pick<TableField, 'name' | 'derivator'>[],
  find: FindField,
): { readonly derived: ReadonlyMap<string, Expression>; readonly circular: readonly string[] } {
  const derived = new Map<string, Expression>();
  for (const { name, derivator } of fields) {
    const expression = derivator && readExpression(derivator.text, find, name);
    if (expression !== undefined) derived.set(name, expression);
  }
  const { circular } = orderDerived(derived);
  for (const name of circular) derived.delete(name);
  return { derived, circular };
}

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

/**
 * Computes all derived values: first those with expressions, then those with prose rules, then the
 * expressions that depend on prose rules.
 */
export async function deriveValues(plan: DraftPlan): Promise<void> {
  const { table, prose, drafts, faults } = plan;
  const inProse = table.fields.filter(
    ({ name, derived }) => derived === undefined && prose.has('derive', name),
  );
  // A derived value in an update would be overwritten immediately. A new record can have one, for example
  // from a file.
  for (const field of table.fields.filter((one) => one.derived !== undefined || inProse.includes(one)))
    for (const draft of drafts)
      if (draft.before !== undefined && draft.said.has(field.name) && isChanged(draft, field.name)) {
        const message = `${labelOf(field)} is computed from other fields and cannot be set.`;
        faults.add(draft.index, message, field.name);
      }
  evaluateAll(plan);
  for (const field of inProse) await applyProse(plan, 'derive', field, cleanDrafts(plan));
  if (inProse.length > 0) evaluateAll(plan);
}

/** Evaluates the expressions, each one after its dependencies. */
function evaluateAll(plan: DraftPlan): void {
  const { fields } = plan.table;
  const derived = fields.flatMap(({ name, derived }) => (derived ? [[name, derived] as const] : []));
  for (const name of orderDerived(new Map(derived)).ordered) {
    const field = fields.find((one) => one.name === name);
    if (field?.derived === undefined) continue;
    for (const draft of plan.drafts) putValue(plan, draft, field, evaluate(field.derived, draft.row));
  }
}
