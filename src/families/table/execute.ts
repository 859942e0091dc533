import { AgentError, isAgentError, toErrorData } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';
import type { Output } from '../../core/output.ts';
import type { Scope } from '../../core/scope.ts';
import { accept } from './accept.ts';
import type { TableDefinition } from './descriptor/definition.ts';
import { mayAccess } from './may-access.ts';

/** Answers a request in words or in members. Whoever may not even read learns nothing, not even whether it was understood. */
export async function execute(definition: TableDefinition, input: Json, scope: Scope): Promise<Output> {
  try {
    mustHaveAccess(definition, scope, 'read');
    const { runTable } = await import('./run-table.ts');
    return await runTable(definition, accept(definition, input), scope);
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    const error = toErrorData(thrown);
    return { status: 'failed', text: error.message, error };
  }
}

/** Throws `policy.denied` for whoever has none of the roles that it takes. */
export function mustHaveAccess(
  { roles, table }: Pick<TableDefinition, 'roles' | 'table'>,
  scope: Pick<Scope, 'roles'>,
  side: 'read' | 'write',
): void {
  if (mayAccess(roles, scope.roles, side)) return;
  const verb = side === 'read' ? 'read' : 'change';
  throw new AgentError('policy.denied', `You may not ${verb} records of ${table}.`, {
    hint: 'Ask somebody who has the role for it, or run it with a role that you have.',
  });
}
