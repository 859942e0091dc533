import type { Json } from '../../../core/json.ts';
import type { Field } from '../table.ts';
import { guardCell, isGuarded } from './formula-guard.ts';

/** A value as the cell that is read as the same value again; empty where there is none. */
export function spellCell({ type }: Pick<Field, 'type'>, value: Json): string {
  if (value === null) return '';
  if (type === 'json' || typeof value === 'object') return JSON.stringify(value);
  if (typeof value === 'number') return plainNumber(value);
  return isGuarded(type) ? guardCell(String(value)) : String(value);
}

/** A number without an exponent, which not everybody reads. */
function plainNumber(value: number): string {
  const found = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(String(value));
  if (found === null) return String(value);
  const [, sign = '', first = '', rest = '', exponent = ''] = found;
  const digits = first + rest;
  const places = Number(exponent);
  return places > 0
    ? `${sign}${digits.padEnd(places + 1, '0')}`
    : `${sign}0.${'0'.repeat(-places - 1)}${digits}`;
}
