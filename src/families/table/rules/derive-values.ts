import { applyProse } from './apply-prose.ts';
import { changedIn, type DraftRow } from './draft-row.ts';
import { evaluate } from './expressions/evaluate.ts';
import type { Expression } from './expressions/expression.ts';
import type { FaultList } from './fault-list.ts';
import { labelOf } from '../show/label-of.ts';
import { orderDerived } from './order-derived.ts';
import { putValue } from './put-value.ts';
import type { RuleGround } from './rule-ground.ts';

/** Works out all derived values: expressions, then what code makes of words, then what follows from that. */
export async function deriveValues(
  ground: RuleGround,
  drafts: readonly DraftRow[],
  faults: FaultList,
): Promise<void> {
  const { table, prose } = ground;
  const inWords = table.fields.filter(
    ({ name, derived }) => derived === undefined && prose.has('derive', name),
  );
  mustNotBeSet(ground, drafts, faults);
  workOut(ground, drafts, faults);
  for (const field of inWords) {
    const clean = drafts.filter(({ index }) => faults.isClean(index));
    await applyProse(ground, 'derive', field, clean, faults);
  }
  if (inWords.length > 0) workOut(ground, drafts, faults);
}

/** Works out the expressions, each after those that it builds on. */
function workOut(ground: RuleGround, drafts: readonly DraftRow[], faults: FaultList): void {
  const { fields } = ground.table;
  const expressions = new Map<string, Expression>();
  for (const { name, derived } of fields) if (derived !== undefined) expressions.set(name, derived);
  for (const name of orderDerived(expressions).ordered) {
    const field = fields.find((one) => one.name === name);
    const expression = expressions.get(name);
    if (field === undefined || expression === undefined) continue;
    for (const draft of drafts) putValue(ground, draft, field, evaluate(expression, draft.row), faults);
  }
}

/** In a change of a record it would be overwritten at once; in a new one, as from a file, it may stand. */
function mustNotBeSet({ table, prose }: RuleGround, drafts: readonly DraftRow[], faults: FaultList): void {
  for (const field of table.fields) {
    const { name } = field;
    if (field.derived === undefined && !prose.has('derive', name)) continue;
    for (const draft of drafts) {
      if (draft.before === undefined || !draft.said.has(name)) continue;
      if (changedIn(draft)?.has(name) === true)
        faults.add(draft.index, `${labelOf(field)} is worked out from other fields and cannot be set.`, name);
    }
  }
}
