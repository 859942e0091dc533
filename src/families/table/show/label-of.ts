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

const mostLetters = 60;
