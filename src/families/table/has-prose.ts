import type { TableDefinition } from './descriptor/definition.ts';
import { proseItems } from './prose/prose-items.ts';

/** Whether a table says something in words of which code is made. */
export function hasProse(definition: TableDefinition): boolean {
  return proseItems(definition).length > 0;
}
