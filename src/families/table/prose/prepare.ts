import type { Scope } from '../../../core/index.ts';
import type { TableDefinition } from '../descriptor/definition.ts';
import { generateProse } from './generate.ts';
import { isDue } from './is-due.ts';
import type { PreparedTable } from './prepared-table.ts';

/** Has code made of what a table says in words where that is due. What fails is told: the table works without it, and says so. */
export async function prepare(definition: TableDefinition, scope: Scope): Promise<PreparedTable> {
  if (!isDue(definition, scope.skill.dir)) return definition;
  const output = await generateProse(definition, scope);
  if (output.status !== 'failed') return definition;
  scope.note(`No code could be made of its rules in words: ${output.error.message}`, { level: 'warning' });
  return { ...definition, proseFailure: output.error };
}
