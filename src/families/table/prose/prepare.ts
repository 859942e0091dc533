import type { Scope } from '../../../core/index.ts';
import type { TableDefinition } from '../descriptor/definition.ts';
import { generateProse } from './generate.ts';
import { isDue } from './is-due.ts';
import type { PreparedTable } from './prepared-table.ts';

/**
 * Generates code for a table's prose rules if needed. A failure is only reported, because the table also
 * works without the code.
 */
export async function prepare(definition: TableDefinition, scope: Scope): Promise<PreparedTable> {
  if (!isDue(definition, scope.skill.dir)) return definition;
  const output = await generateProse(definition, scope);
  if (output.status !== 'failed') return definition;
  scope.note(`No code could be generated for its prose rules: ${output.error.message}`, { level: 'warning' });
  return { ...definition, proseFailure: output.error };
}
