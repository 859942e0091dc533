import type { Json } from '../../../core/index.ts';
import type { Field } from '../table.ts';
import type { DraftRow } from './draft-row.ts';
import type { FaultList } from './fault-list.ts';
import type { ProseKind } from './prose-rules.ts';
import { putValue } from './put-value.ts';
import type { RuleContext } from './rule-context.ts';

/** Computes a field's value for each draft with the code of a prose rule. */
export async function applyProse(
  context: RuleContext,
  kind: ProseKind,
  field: Field,
  drafts: readonly DraftRow[],
  faults: FaultList,
): Promise<void> {
  const results = await runOn(context, kind, field, drafts);
  for (const [at, draft] of drafts.entries()) putValue(context, draft, field, results[at] ?? null, faults);
}

/** Runs the code for a field's prose rule on each draft. */
export async function runOn(
  { prose }: RuleContext,
  kind: ProseKind,
  { name }: Field,
  drafts: readonly DraftRow[],
): Promise<readonly Json[]> {
  if (drafts.length === 0) return [];
  return prose.run(
    kind,
    name,
    drafts.map(({ row }) => ({ value: row[name] ?? null, record: { ...row } })),
  );
}
