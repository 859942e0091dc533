import type { Json } from '../../../core/index.ts';
import { cutText } from '../show/cut-text.ts';
import type { Key } from './key.ts';
import type { RecordsGround } from './records-ground.ts';

/** A value for a message, on one line and cut where it is long. */
export function showJson(value: Json): string {
  return cutText(JSON.stringify(value), 60);
}

/** A key for a message: its only value, or all of them with the names of their fields. */
export function showKey({ key }: Pick<RecordsGround, 'key'>, values: Key): string {
  if (key.length === 1) return showJson(values[0] ?? null);
  return key.map(({ field }, index) => `${field.name} ${showJson(values[index] ?? null)}`).join(', ');
}
