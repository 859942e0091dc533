import type { Field } from '../table.ts';
import { cutText } from './cut-text.ts';

/** Returns a field's display name. */
export function labelOf({ label, name }: Field): string {
  return cutText(label ?? name, maxCharacters);
}

/** Returns a field's short display name, for compact layouts. */
export function shortLabelOf(field: Field): string {
  return field.shortLabel === undefined ? labelOf(field) : cutText(field.shortLabel, maxCharacters);
}

const maxCharacters = 60;
