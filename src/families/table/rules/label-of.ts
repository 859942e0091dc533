import type { Json } from '../../../core/json.ts';
import type { Field } from '../table.ts';

/** What a field is called in a sentence. */
export function labelOf({ label, name }: Pick<Field, 'label' | 'name'>): string {
  return label ?? name;
}

const longest = 60; // characters

/** A value for a sentence, cut where it is long. */
export function quoted(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const letters = [...text.slice(0, 2 * longest)];
  const cut = letters.length > longest ? `${letters.slice(0, longest).join('')}…` : text;
  return typeof value === 'string' ? `"${cut}"` : cut;
}
