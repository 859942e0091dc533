import type { Field } from '../table.ts';
import { cutText } from './cut-text.ts';

/** What people call a field. */
export function labelOf({ label, name }: Field): string {
  return cutText(label ?? name, mostLetters);
}

/** What a field is called where there is little room. */
export function shortLabelOf(field: Field): string {
  return field.shortLabel === undefined ? labelOf(field) : cutText(field.shortLabel, mostLetters);
}

/** Whether the values of a field are numbers, which stand one below the other by their last digit. */
export function isNumeric({ type }: Field): boolean {
  return type === 'integer' || type === 'bigint' || type === 'decimal';
}

const mostLetters = 60;
