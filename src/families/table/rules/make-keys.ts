import { sameJson } from '../records/same-json.ts';
import { labelOf } from '../show/label-of.ts';
import { applyProse } from './apply-prose.ts';
import type { DraftRow } from './draft-row.ts';
import type { FaultList } from './fault-list.ts';
import type { RuleGround } from './rule-ground.ts';

/** Makes the keys that are not given, by uuid or by code; numbers are left to the database. */
export async function makeKeys(
  ground: RuleGround,
  drafts: readonly DraftRow[],
  faults: FaultList,
): Promise<void> {
  const { table, prose, makeId } = ground;
  for (const field of table.key) {
    const { name, key } = field;
    const without = drafts.filter(({ row }) => row[name] === null);
    if (key === 'uuid') for (const draft of without) draft.row[name] = makeId();
    if (key !== 'prose') continue;
    const clean = without.filter(({ index }) => faults.isClean(index));
    if (clean.length === 0) continue;
    if (!prose.has('key', name)) {
      const message = `${labelOf(field)} is made by a rule in words of which there is no code, so it must be given.`;
      for (const { index } of clean) faults.add(index, message, name);
      continue;
    }
    await applyProse(ground, 'key', field, clean, faults);
  }
}

/** A record is known by its key, which therefore stays. */
export function mustKeepKeys({ table }: RuleGround, drafts: readonly DraftRow[], faults: FaultList): void {
  for (const field of table.key) {
    const { name } = field;
    for (const { row, before, index } of drafts) {
      if (!sameJson(row[name], before?.[name]))
        faults.add(index, `${labelOf(field)} identifies the record and cannot be changed.`, name);
    }
  }
}
