import type { Json } from '../../../core/index.ts';
import { cutText } from '../show/cut-text.ts';
import type { Key } from './key.ts';
import type { RecordsContext } from './records-context.ts';

/** Formats a value for a message: on one line, and shortened if it is long. */
export function showJson(value: Json): string {
  return cutText(JSON.stringify(value), 60);
}

/** Formats a key for a message: a single value on its own, or several values with their field names. */
export function showKey({ key }: Pick<RecordsContext, 'key'>, values: Key): string {
  if (key.length === 1) return showJson(values[0] ?? null);
  return key.map(({ field }, index) => `${field.name} ${showJson(values[index] ?? null)}`).join(', ');
}
