import { isSame, type Draft, type RuleGround } from './draft.ts';
import type { FaultList } from './fault-list.ts';
import { labelOf } from '../show/label-of.ts';
import { putValue } from './put-value.ts';

/** Makes the keys that are not given, by uuid or by code; numbers are left to the database. */
export async function makeKeys(
  ground: RuleGround,
  drafts: readonly Draft[],
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
    const cases = clean.map(({ row }) => ({ value: null, record: { ...row } }));
    const results = await prose.run('key', name, cases);
    for (const [at, draft] of clean.entries()) putValue(ground, draft, field, results[at] ?? null, faults);
  }
}

/** A record is known by its key, which therefore stays. */
export function mustKeepKeys({ table }: RuleGround, drafts: readonly Draft[], faults: FaultList): void {
  for (const field of table.key) {
    const { name } = field;
    for (const { row, before, index } of drafts) {
      if (!isSame(row[name] ?? null, before?.[name] ?? null))
        faults.add(index, `${labelOf(field)} identifies the record and cannot be changed.`, name);
    }
  }
}
