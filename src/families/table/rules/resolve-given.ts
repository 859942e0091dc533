import { typeFault } from './check-value.ts';
import type { Draft, RuleGround } from './draft.ts';
import type { FaultList } from './fault-list.ts';
import { putValue } from './put-value.ts';

/** Reads back what people say in the form in which values are shown to them, and finds what is of another type. */
export async function resolveGiven(
  ground: RuleGround,
  drafts: readonly Draft[],
  faults: FaultList,
): Promise<void> {
  const { table, prose } = ground;
  for (const field of table.fields) {
    const { name } = field;
    const told = drafts.filter(({ said, row }) => said.has(name) && row[name] !== null);
    if (told.length === 0) continue;
    if (prose.has('resolve', name)) {
      const cases = told.map(({ row }) => ({ value: row[name] ?? null, record: { ...row } }));
      const results = await prose.run('resolve', name, cases);
      for (const [at, draft] of told.entries()) putValue(ground, draft, field, results[at] ?? null, faults);
    }
    for (const { row, index } of told) {
      const fault = typeFault(field, row[name] ?? null);
      if (fault !== undefined) faults.add(index, fault, name);
    }
  }
}
