import { AgentError, type Scope } from '../../core/index.ts';
import type { RolePolicy, TableDefinition } from './descriptor/definition.ts';

/** The roles that may read and those that may write. Null means that everyone may do both. */
export type Roles = Pick<RolePolicy, 'read' | 'write'> | null;

/**
 * Whether any of the roles may read or write. Write access includes read access. Without a policy, everyone
 * has access.
 */
export function mayAccess(
  policy: Roles | RolePolicy | undefined,
  roles: readonly string[],
  side: 'read' | 'write',
): boolean {
  return policy === undefined || policy === null || hasAny(roles, openTo(policy, side));
}

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

/** Whether a policy grants any access that another policy does not grant. */
export function isWider(policy: Roles, than: Roles): boolean {
  if (policy === null || than === null) return than !== null;
  return (['read', 'write'] as const).some((side) =>
    openTo(policy, side).some((role) => !hasAny([role], openTo(than, side))),
  );
}

/** Returns a policy that grants all access granted by either policy. */
export function mergeRoles(one: Roles, other: Roles): Roles {
  if (one === null || other === null) return null;
  const merge = (some: readonly string[], others: readonly string[]): readonly string[] => [
    ...new Map([...others, ...some].map((role) => [plainRole(role), role])).values(),
  ];
  return { read: merge(one.read, other.read), write: merge(one.write, other.write) };
}

/** Describes roles for display. */
export function showRoles(roles: Roles): string {
  if (roles === null) return 'everyone may read and write';
  const named = (names: readonly string[]): string => [...new Set(names)].join(', ') || 'nobody';
  return `${named([...roles.read, ...roles.write])} may read and ${named(roles.write)} may write`;
}

function openTo({ read, write }: Exclude<Roles, null>, side: 'read' | 'write'): readonly string[] {
  return side === 'write' ? write : [...read, ...write];
}

function hasAny(roles: readonly string[], allowed: readonly string[]): boolean {
  const names = new Set(allowed.map(plainRole));
  return roles.some((role) => names.has(plainRole(role)));
}

/** Converts a role to the form used for comparison. */
function plainRole(role: string): string {
  return role.trim().toLowerCase();
}
