import type { RolePolicy } from './descriptor/definition.ts';

/**
 * Whether any of the roles may read or write. Write access includes read access. Without a policy, everyone
 * has access.
 */
export function mayAccess(
  policy: RolePolicy | undefined,
  roles: readonly string[],
  side: 'read' | 'write',
): boolean {
  if (policy === undefined) return true;
  const open = side === 'write' ? policy.write : [...policy.read, ...policy.write];
  const allowed = new Set(open.map(plainRole));
  return roles.some((role) => allowed.has(plainRole(role)));
}

/** Converts a role to the form used for comparison. */
export function plainRole(role: string): string {
  return role.trim().toLowerCase();
}
