import type { Json } from '../../src/core/json.ts';

/** Returns a string unchanged, and any other value as JSON. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
