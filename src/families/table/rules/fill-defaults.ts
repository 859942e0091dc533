import type { DraftRow } from './draft-row.ts';
import type { FaultList } from './fault-list.ts';
import { readValue } from '../values/read-value.ts';
import type { RuleGround } from './rule-ground.ts';

/** Gives new records the defaults of fields that nothing is said of; one that is said to have no value has none. */
export function fillDefaults(ground: RuleGround, drafts: readonly DraftRow[], faults: FaultList): void {
  for (const field of ground.table.fields) {
    const { name, default: text } = field;
    if (text === undefined || field.derived !== undefined) continue;
    const read = readValue(field, text, ground.clock);
    for (const { said, row, index } of drafts) {
      if (said.has(name)) continue;
      if ('value' in read) row[name] = read.value;
      else faults.add(index, read.fault, name);
    }
  }
}
