import { buildTable } from './build-table.ts';
import type { TableDefinition } from './descriptor/definition.ts';
import { anyTime } from './values/any-time.ts';
import { hasTableName } from './words/has-table-name.ts';
import { understand } from './words/understand.ts';

/** Plain forms that name the table are for it, whatever is wrong with them; those that do not, as `undo`, only after it worked. */
export function recognises(definition: TableDefinition, words: string): 'named' | 'next' | undefined {
  const table = buildTable(definition);
  const { kind } = understand(table, words, anyTime);
  if (kind === 'unknown') return undefined;
  if (hasTableName(table, words)) return 'named';
  return kind === 'fault' ? undefined : 'next';
}
