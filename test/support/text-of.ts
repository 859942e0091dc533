import type { Json } from '../../src/core/json.ts';

/** A value as text; a text is itself. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
