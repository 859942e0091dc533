import { AgentError, type Scope } from '../../core/index.ts';
import type { TableDefinition } from './descriptor/definition.ts';
import { mayAccess } from './may-access.ts';

/** Throws `policy.denied` for whoever has none of the roles that it takes. */
export function mustHaveAccess(
  { roles, table }: Pick<TableDefinition, 'roles' | 'table'>,
  scope: { readonly run: Pick<Scope['run'], 'roles'> },
  side: 'read' | 'write',
): void {
  if (mayAccess(roles, scope.run.roles, side)) return;
  const verb = side === 'read' ? 'read' : 'change';
  throw new AgentError('policy.denied', `You may not ${verb} records of ${table}.`, {
    hint: 'Ask somebody who has the role for it, or run it with a role that you have.',
  });
}
