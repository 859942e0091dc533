import type { Json, Output, Scope } from '../../core/index.ts';
import { accept } from './accept.ts';
import type { TableDefinition } from './descriptor/definition.ts';
import { failedOutput } from './failed-output.ts';
import { mustHaveAccess } from './must-have-access.ts';

/** Answers a request in words or in members. Whoever may not even read learns nothing, not even whether it was understood. */
export async function execute(definition: TableDefinition, input: Json, scope: Scope): Promise<Output> {
  try {
    mustHaveAccess(definition, scope, 'read');
    const { runTable } = await import('./run-table.ts');
    return await runTable(definition, accept(definition, input), scope);
  } catch (thrown) {
    return failedOutput(thrown);
  }
}
