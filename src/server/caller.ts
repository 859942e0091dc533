import {
  AgentError,
  userKey,
  type Requester,
  type RunRequest,
  type RunSummary,
  type RunUser,
  type Skill,
} from '../core/index.ts';
import {
  hasScope,
  keyScopes,
  maySeeSkill,
  missingScope,
  requestFieldsOf,
  requesterOf,
  runUserOf,
  type KeyScope,
  type Principal,
} from './keys/principal.ts';

/** Who sends a request, and which data belongs to them. */
export interface Caller {
  readonly principal: Principal;
  /** The user of the caller's runs. Undefined for the person at this machine, as on the command line. */
  readonly user: RunUser | undefined;
  /** Whether the caller sees the data of all users. */
  readonly isAdmin: boolean;
}

/** The person at this machine, for a server without keys. They may do everything. */
export const localPrincipal: Principal = {
  keyId: 'local',
  keyName: 'local',
  user: undefined,
  roles: [],
  scopes: new Set(keyScopes),
  skills: undefined,
  permissions: undefined,
  budget: undefined,
  rate: undefined,
  concurrentRuns: undefined,
  connections: undefined,
};

/** Returns the caller for a principal. */
export function callerOf(principal: Principal): Caller {
  const user = principal === localPrincipal ? undefined : runUserOf(principal);
  return { principal, user, isAdmin: hasScope(principal, 'admin') };
}

/** Throws `policy.denied` if a caller does not have a scope. */
export function mustHaveScope({ principal }: Caller, scope: KeyScope): void {
  const missing = missingScope(principal, scope);
  if (missing !== undefined) throw missing;
}

/** Whether a run belongs to a caller, or the caller sees all runs. */
export function ownsRun({ user, isAdmin }: Caller, run: Pick<RunSummary, 'user'>): boolean {
  return isAdmin || (user !== undefined && run.user === userKey(user.id));
}

/** Whether a caller may start a skill. */
export function maySkill({ principal }: Caller, { name, aliases }: Pick<Skill, 'name' | 'aliases'>): boolean {
  return maySeeSkill(principal, [name, ...aliases]);
}

/** Returns how a run records who started it, and what their key allows. */
export function askerOf({
  principal,
}: Caller): Pick<RunRequest, 'user' | 'client' | 'access'> & { readonly submitted: true } {
  return { submitted: true, ...(principal === localPrincipal ? {} : requestFieldsOf(principal)) };
}

/** Returns how the log names a caller who answers, decides or cancels. */
export function deciderOf({ principal }: Caller): Requester {
  return principal === localPrincipal ? {} : requesterOf(principal);
}

/**
 * Returns the stored id of a session. Each user has session ids of their own, so that an id says nothing about
 * the sessions of others. The person at this machine uses the ids of the command line.
 */
export function storedSession({ user, isAdmin }: Caller, id: string): string {
  const end = suffixOf(user);
  if (end === '' || id.endsWith(end)) return id;
  return isAdmin && /~[0-9a-f]{16}$/.test(id) ? id : `${id}${end}`;
}

/** Returns the id of a session as its user knows it. */
export function shownSession({ user }: Caller, stored: string): string {
  const end = suffixOf(user);
  return end !== '' && stored.endsWith(end) ? stored.slice(0, -end.length) : stored;
}

/** Whether a stored session belongs to a caller, or the caller sees all sessions. */
export function ownsSession({ user, isAdmin }: Caller, stored: string): boolean {
  const end = suffixOf(user);
  return isAdmin || (end !== '' && stored.endsWith(end));
}

function suffixOf(user: RunUser | undefined): string {
  const key = userKey(user?.id);
  return key === undefined ? '' : `~${key}`;
}

/** Creates the error for something that does not exist, or that the caller must not know about. */
export function notFound(what: string, id: string): AgentError {
  return new AgentError('usage.not-found', `No ${what} has the id ${JSON.stringify(id.slice(0, 100))}.`, {
    hint: 'Check the id. You see only what belongs to you.',
  });
}
