import { applyProse } from './apply-prose.ts';
import { changedIn, type DraftRow } from './draft-row.ts';
import { evaluate } from './expressions/evaluate.ts';
import type { Expression } from './expressions/expression.ts';
import type { FaultList } from './fault-list.ts';
import { labelOf } from '../show/label-of.ts';
import { orderDerived } from './order-derived.ts';
import { putValue } from './put-value.ts';
import type { RuleContext } from './rule-context.ts';

/**
 * Computes all derived values: first those with expressions, then those with prose rules, then the
 * expressions that depend on prose rules.
 */
export async function deriveValues(
  context: RuleContext,
  drafts: readonly DraftRow[],
  faults: FaultList,
): Promise<void> {
  const { table, prose } = context;
  const inProse = table.fields.filter(
    ({ name, derived }) => derived === undefined && prose.has('derive', name),
  );
  mustNotBeSet(context, drafts, faults);
  workOut(context, drafts, faults);
  for (const field of inProse) {
    const clean = drafts.filter(({ index }) => faults.isClean(index));
    await applyProse(context, 'derive', field, clean, faults);
  }
  if (inProse.length > 0) workOut(context, drafts, faults);
}

/** Evaluates the expressions, each one after its dependencies. */
function workOut(context: RuleContext, drafts: readonly DraftRow[], faults: FaultList): void {
  const { fields } = context.table;
  const expressions = new Map<string, Expression>();
  for (const { name, derived } of fields) if (derived !== undefined) expressions.set(name, derived);
  for (const name of orderDerived(expressions).ordered) {
    const field = fields.find((one) => one.name === name);
    const expression = expressions.get(name);
    if (field === undefined || expression === undefined) continue;
    for (const draft of drafts) putValue(context, draft, field, evaluate(expression, draft.row), faults);
  }
}

/**
 * Rejects derived values in an update, because they would be overwritten immediately. They are allowed in a
 * new record, for example from a file.
 */
function mustNotBeSet({ table, prose }: RuleContext, drafts: readonly DraftRow[], faults: FaultList): void {
  for (const field of table.fields) {
    const { name } = field;
    if (field.derived === undefined && !prose.has('derive', name)) continue;
    for (const draft of drafts) {
      if (draft.before === undefined || !draft.said.has(name)) continue;
      if (changedIn(draft)?.has(name) === true)
        faults.add(draft.index, `${labelOf(field)} is computed from other fields and cannot be set.`, name);
    }
  }
}
