import type { Json } from '../../../core/index.ts';
import type { Field } from '../table.ts';
import { readValue } from '../values/read-value.ts';
import type { DraftRow } from './draft-row.ts';
import type { FaultList } from './fault-list.ts';
import type { RuleGround } from './rule-ground.ts';

/** Puts what a rule came to into a draft, in the form of its field; what cannot be is a fault. */
export function putValue(
  { clock }: RuleGround,
  { row, index }: DraftRow,
  field: Field,
  given: Json,
  faults: FaultList,
): void {
  const { name, type } = field;
  const value = isTextual.has(type) && typeof given === 'number' ? String(given) : given;
  if (value === null || value === '') {
    row[name] = null;
    return;
  }
  const read = readValue(field, value, clock);
  if ('value' in read) row[name] = read.value;
  else faults.add(index, read.fault, name);
}

const isTextual: ReadonlySet<Field['type']> = new Set(['string', 'text']);
