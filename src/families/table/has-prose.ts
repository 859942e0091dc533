import type { TableDefinition } from './descriptor/definition.ts';
import { proseItems } from './prose/prose-items.ts';

/** Whether a table has prose rules, which require generated code. */
export function hasProse(definition: TableDefinition): boolean {
  return proseItems(definition).length > 0;
}
