import {
  AgentError,
  matchesWildcard,
  optional,
  type Requester,
  type RunRequest,
  type RunUser,
} from '../../core/index.ts';

/** Everything that a key can be allowed to do. */
export const keyScopes = [
  'runs:read',
  'runs:write',
  'skills:read',
  'approvals:decide',
  'sessions:read',
  'admin',
] as const;

/** One thing that a key can be allowed to do. `admin` includes all others, for the data of every user. */
export type KeyScope = (typeof keyScopes)[number];

/** Whether a value is a scope. */
export function isKeyScope(value: unknown): value is KeyScope {
  return (keyScopes as readonly unknown[]).includes(value);
}

/** The most that a key may use in a day, which begins at midnight UTC. */
export interface DailyBudget {
  /** The maximum cost in US dollars. */
  readonly cost?: number;
  /** The maximum total of input and output tokens. */
  readonly tokens?: number;
}

/** The rate at which a key may send requests. */
export interface RequestRate {
  /** The number of requests that a key earns in a minute. */
  readonly perMinute: number;
  /** The maximum number of requests at once. */
  readonly burst: number;
}

/** Permission rules of a key. They only remove permissions that the project grants. */
export interface KeyPermissions {
  /** The only uses of tools that are allowed. If absent, the project's own rules decide. */
  readonly allow?: readonly string[];
  /** Uses of tools that are denied. */
  readonly deny?: readonly string[];
}

/** The rights and limits of a key. The same for bearer keys and for tokens of an identity provider. */
export interface KeyGrant {
  readonly roles: readonly string[];
  readonly scopes: ReadonlySet<KeyScope>;
  /** The names of the skills that runs may call, as patterns with `*`. Undefined means all skills. */
  readonly skills: readonly string[] | undefined;
  readonly permissions: KeyPermissions | undefined;
  readonly budget: DailyBudget | undefined;
  /** Undefined means the rate of the server. */
  readonly rate: RequestRate | undefined;
  /** The maximum number of runs in progress. Undefined means the limit of the server. */
  readonly concurrentRuns: number | undefined;
  /** The maximum number of open connections. Undefined means the limit of the server. */
  readonly connections: number | undefined;
}

/** Who sends a request, and what they may do. */
export interface Principal extends KeyGrant {
  /** Identifies the key in limits, budgets and logs. Contains no secret. */
  readonly keyId: string;
  /** The name of the key, as shown to people. */
  readonly keyName: string;
  /** The id of the user who owns the key. A key without one has data of its own, under the key's id. */
  readonly user: string | undefined;
}

/** Whether a principal has a scope. */
export function hasScope({ scopes }: Pick<Principal, 'scopes'>, scope: KeyScope): boolean {
  return scopes.has(scope) || scopes.has('admin');
}

/** Returns the error for a principal without a scope, or undefined. Respond to it with status 403. */
export function missingScope(principal: Principal, scope: KeyScope): AgentError | undefined {
  if (hasScope(principal, scope)) return undefined;
  return new AgentError('policy.denied', `The key "${principal.keyName}" does not have the scope ${scope}.`, {
    hint: `Use a key with this scope: \`skilled keys add <name> --scopes ${scope}\``,
    details: { scope },
  });
}

/** Returns the user on whose behalf a principal's runs start. */
export function runUserOf({ user, keyId, roles }: Principal): RunUser {
  return { id: user ?? `key:${keyId}`, ...optional('roles', roles.length === 0 ? undefined : roles) };
}

/** Returns the fields of a run request that say who sends it and what it may do. */
export function requestFieldsOf(
  principal: Principal,
): Required<Pick<RunRequest, 'user' | 'client'>> & Pick<RunRequest, 'access'> {
  const { keyId, skills, permissions } = principal;
  const access = { ...optional('skills', skills), ...permissions };
  return {
    user: runUserOf(principal),
    client: keyId,
    ...optional('access', Object.keys(access).length === 0 ? undefined : access),
  };
}

/** Returns who answers, decides or cancels, for the log. */
export function requesterOf(principal: Principal): Requester {
  return { ...optional('user', runUserOf(principal).id), client: principal.keyId };
}

/** Whether a principal may call a skill that has these names. The run checks this again. */
export function maySeeSkill({ skills }: Pick<Principal, 'skills'>, names: readonly string[]): boolean {
  if (skills === undefined) return true;
  return skills.some((pattern) =>
    names.some((name) => matchesWildcard(pattern.toLowerCase(), name.toLowerCase())),
  );
}
