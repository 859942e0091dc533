import type { Json } from '../core/json.ts';

/** Whether a list gives nothing: a project may always say that. */
export function isEmptyList(value: Json): boolean {
  return Array.isArray(value) && value.length === 0;
}
