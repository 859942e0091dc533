import type { Json } from '../../../core/index.ts';
import type { Field } from '../table.ts';
import type { DraftRow } from './draft-row.ts';
import type { FaultList } from './fault-list.ts';
import type { ProseKind } from './prose-rules.ts';
import { putValue } from './put-value.ts';
import type { RuleGround } from './rule-ground.ts';

/** Puts what code makes of words into a field of each draft. */
export async function applyProse(
  ground: RuleGround,
  kind: ProseKind,
  field: Field,
  drafts: readonly DraftRow[],
  faults: FaultList,
): Promise<void> {
  const results = await runOn(ground, kind, field, drafts);
  for (const [at, draft] of drafts.entries()) putValue(ground, draft, field, results[at] ?? null, faults);
}

/** What code says about a field of each draft. */
export async function runOn(
  { prose }: RuleGround,
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
