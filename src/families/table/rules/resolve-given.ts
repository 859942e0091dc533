import { applyProse } from './apply-prose.ts';
import { typeFault } from './check-value.ts';
import type { DraftRow } from './draft-row.ts';
import type { FaultList } from './fault-list.ts';
import type { RuleGround } from './rule-ground.ts';

/** Reads back what people say in the form in which values are shown to them, and finds what is of another type. */
export async function resolveGiven(
  ground: RuleGround,
  drafts: readonly DraftRow[],
  faults: FaultList,
): Promise<void> {
  const { table, prose } = ground;
  for (const field of table.fields) {
    const { name } = field;
    const told = drafts.filter(({ said, row }) => said.has(name) && row[name] !== null);
    if (told.length === 0) continue;
    if (prose.has('resolve', name)) await applyProse(ground, 'resolve', field, told, faults);
    for (const { row, index } of told) {
      const fault = typeFault(field, row[name] ?? null);
      if (fault !== undefined) faults.add(index, fault, name);
    }
  }
}
