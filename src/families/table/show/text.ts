import { visible } from '../../../core/index.ts';
import type { Field } from '../table.ts';

/** Formats a count with its noun, such as "1 record" or "1,200 records". */
export function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}

/**
 * Shortens text to one line of at most `most` characters and removes hidden characters. Shortened text ends
 * with an ellipsis.
 */
export function cutText(text: string, most: number): string {
  const shown = visible(text.length > most * longestSpelling ? text.slice(0, most * longestSpelling) : text);
  const characters = Array.from(shown);
  if (characters.length <= most && text.length <= most * longestSpelling) return shown;
  return `${characters.slice(0, most - 1).join('')}…`;
}

const longestSpelling = 12; // The maximum number of UTF-16 units per character, including combining marks.

/** Returns a field's display name. */
export function labelOf({ label, name }: Field): string {
  return cutText(label ?? name, longestLabel);
}

/** Returns a field's short display name, for compact layouts. */
export function shortLabelOf(field: Field): string {
  return field.shortLabel === undefined ? labelOf(field) : cutText(field.shortLabel, longestLabel);
}

const longestLabel = 60;
