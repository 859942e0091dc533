import { AgentError, type Scope } from '../../core/index.ts';
import type { TableDefinition } from './descriptor/definition.ts';
import { mayAccess } from './may-access.ts';

/** Throws `policy.denied` if the caller has none of the required roles. */
export function mustHaveAccess(
  { roles, table }: Pick<TableDefinition, 'roles' | 'table'>,
  scope: { readonly run: Pick<Scope['run'], 'roles'> },
  side: 'read' | 'write',
): void {
  if (mayAccess(roles, scope.run.roles, side)) return;
  const verb = side === 'read' ? 'read' : 'change';
  throw new AgentError('policy.denied', `You are not allowed to ${verb} records in ${table}.`, {
    hint: 'Ask someone with the required role, or use another of your roles.',
  });
}
