import { AgentError } from '../core/error.ts';
import { areRoles, rolesExpected } from '../core/run.ts';
import type { RunRequest } from '../core/run.ts';

/**
 * Throws `usage.bad-input` for a member of a request that must be text and is not: a user whose id is a number would own
 * nothing. Roles that are no list of names would let somebody in, or shut them out, by accident.
 */
export function checkRequest({ skill, prompt, session, user, roles }: RunRequest): void {
  const texts = { skill, prompt, session, user: user ?? undefined };
  for (const [name, value] of Object.entries(texts) as readonly [string, unknown][]) {
    if (value === undefined || typeof value === 'string') continue;
    const kind = value === null ? 'null' : typeof value;
    throw new AgentError('usage.bad-input', `The ${name} of a request must be text, not ${kind}.`, {
      hint: 'Give it as text, or leave it out.',
    });
  }
  if (roles === undefined || areRoles(roles)) return;
  throw new AgentError('usage.bad-input', `The roles of a request must be ${rolesExpected}.`, {
    hint: 'Give them as ["name"], or leave them out.',
  });
}
