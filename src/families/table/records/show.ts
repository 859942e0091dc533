import type { Json } from '../../../core/json.ts';
import type { Ground } from './ground.ts';
import type { Key } from './key.ts';

const longestShown = 60; // characters

/** A value for a message, cut where it is long. */
export function showJson(value: Json): string {
  const text = JSON.stringify(value);
  return text.length <= longestShown ? text : `${text.slice(0, longestShown - 1).toWellFormed()}…`;
}

/** A key for a message: its only value, or all of them with the names of their fields. */
export function showKey({ key }: Pick<Ground, 'key'>, values: Key): string {
  if (key.length === 1) return showJson(values[0] ?? null);
  return key.map(({ field }, index) => `${field.name} ${showJson(values[index] ?? null)}`).join(', ');
}
