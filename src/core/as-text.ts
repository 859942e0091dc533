import type { Json } from './json.ts';

/** A value for people, models and patterns: text as it is, everything else as JSON. */
export function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
