import type { RolePolicy } from './descriptor/definition.ts';

/** Whether somebody with these roles may read, or write; who may write may read. Everyone may where there is no policy. */
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

/** A role as roles are compared. */
export function plainRole(role: string): string {
  return role.trim().toLowerCase();
}
