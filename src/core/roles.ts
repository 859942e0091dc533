/** How many roles one person may have. */
export const mostRoles = 100;

/** What roles must be, as the end of a sentence. */
export const rolesExpected = `a list of at most ${mostRoles} names`;

/** Whether something can be the roles of a person. */
export function areRoles(value: unknown): value is readonly string[] {
  if (!Array.isArray(value) || value.length > mostRoles) return false;
  return value.every((role) => typeof role === 'string' && role.trim() !== '');
}
