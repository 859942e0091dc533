import type { Json } from '../../../core/index.ts';
import type { Field } from '../table.ts';
import { readValue } from '../values/read-value.ts';
import type { DraftRow } from './draft-row.ts';
import type { FaultList } from './fault-list.ts';
import type { RuleContext } from './rule-context.ts';

/**
 * Stores the result of a rule in a draft's field, converted to the field's type. Records a fault if the
 * result is invalid.
 */
export function putValue(
  { clock }: RuleContext,
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
