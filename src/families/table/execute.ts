import type { Json, Output, Scope } from '../../core/index.ts';
import { accept } from './accept.ts';
import type { TableDefinition } from './descriptor/definition.ts';
import { endedOutput } from './failed-output.ts';
import { mustHaveAccess } from './access.ts';

/** Runs a request. A caller without read access gets no information about the table or the request. */
export async function execute(definition: TableDefinition, input: Json, scope: Scope): Promise<Output> {
  try {
    mustHaveAccess(definition, scope, 'read');
    const { runTable } = await import('./run-table.ts');
    return await runTable(definition, accept(definition, input), scope);
  } catch (thrown) {
    return endedOutput(thrown, scope);
  }
}
