import type { Json } from '../../../core/index.ts';
import { isTextType } from '../request/comparisons-of.ts';
import type { Field } from '../table.ts';
import { plainDigits } from '../values/plain-digits.ts';
import { guardCell } from './formula-guard.ts';

/** A value as the cell that is read as the same value again; empty where there is none. */
export function spellCell({ type }: Pick<Field, 'type'>, value: Json): string {
  if (value === null) return '';
  if (type === 'json' || typeof value === 'object') return JSON.stringify(value);
  if (typeof value === 'number') return plainDigits(value);
  return isTextType(type) ? guardCell(String(value)) : String(value);
}
