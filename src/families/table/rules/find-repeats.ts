import { canonicalJson, type Json } from '../../../core/index.ts';
import type { Field, TableRow } from '../table.ts';
import { changedIn, type DraftRow } from './draft-row.ts';
import type { FaultList } from './fault-list.ts';
import { labelOf } from '../show/label-of.ts';
import { quote } from '../values/quote.ts';
import type { RuleGround } from './rule-ground.ts';

/** Finds keys and unique values that stand twice in one request: the database would refuse the second. */
export function findRepeats({ table }: RuleGround, drafts: readonly DraftRow[], faults: FaultList): void {
  const isNew = drafts.filter(({ before }) => before === undefined);
  findAmong(isNew, table.key, faults);
  for (const field of table.fields) {
    if (field.unique !== true || (table.key.length === 1 && table.key[0] === field)) continue;
    const about = drafts.filter((draft) => changedIn(draft)?.has(field.name) !== false);
    findAmong(about, [field], faults);
  }
}

function findAmong(drafts: readonly DraftRow[], fields: readonly Field[], faults: FaultList): void {
  const seen = new Map<string, number>();
  for (const { row, index } of drafts) {
    const values = valuesOf(row, fields);
    if (values.includes(null)) continue;
    const mark = values.length === 1 && typeof values[0] === 'string' ? values[0] : canonicalJson(values);
    const first = seen.get(mark);
    if (first === undefined) {
      seen.set(mark, index);
      continue;
    }
    const named = fields.map((field, at) => `${labelOf(field)} ${quote(values[at] ?? null)}`).join(', ');
    const message = `${named} stands twice in this request: records ${first + 1} and ${index + 1}.`;
    faults.add(index, message, fields[0]?.name);
  }
}

function valuesOf(row: TableRow, fields: readonly Field[]): readonly Json[] {
  return fields.map(({ name }) => row[name] ?? null);
}
