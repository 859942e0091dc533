import type { RolePolicy } from '../../descriptor/definition.ts';
import { plainRole } from '../../may-access.ts';

/** The roles that may read and those that may write. Null means that everyone may do both. */
export type Roles = Pick<RolePolicy, 'read' | 'write'> | null;

/** Whether a policy grants any access that another policy does not grant. */
export function isWider(policy: Roles, than: Roles): boolean {
  if (than === null) return false;
  if (policy === null) return true;
  const lacks = (roles: readonly string[], others: readonly string[]): boolean =>
    roles.some((role) => !others.map(plainRole).includes(plainRole(role)));
  return (
    lacks(policy.write, than.write) || lacks([...policy.read, ...policy.write], [...than.read, ...than.write])
  );
}

/** Returns a policy that grants all access granted by either policy. */
export function mergeRoles(one: Roles, other: Roles): Roles {
  if (one === null || other === null) return null;
  return { read: merged(one.read, other.read), write: merged(one.write, other.write) };
}

/** Describes roles for display. */
export function showRoles(roles: Roles): string {
  if (roles === null) return 'everyone may read and write';
  const named = (names: readonly string[]): string => (names.length === 0 ? 'nobody' : names.join(', '));
  return `${named([...new Set([...roles.read, ...roles.write])])} may read and ${named(roles.write)} may write`;
}

function merged(some: readonly string[], others: readonly string[]): readonly string[] {
  const byName = new Map([...others, ...some].map((role) => [plainRole(role), role]));
  return [...byName.values()];
}
