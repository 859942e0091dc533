import type { Draft, RuleGround } from './draft.ts';
import type { FaultList } from './fault-list.ts';
import { putValue } from './put-value.ts';

/** Gives new records the defaults of fields that nothing is said of; one that is said to have no value has none. */
export function fillDefaults(ground: RuleGround, drafts: readonly Draft[], faults: FaultList): void {
  for (const field of ground.table.fields) {
    const { name, default: text } = field;
    if (text === undefined || field.derived !== undefined) continue;
    for (const draft of drafts) {
      if (!draft.said.has(name)) putValue(ground, draft, field, text, faults);
    }
  }
}
