import { hash } from 'node:crypto';

/**
 * What a run may do, in addition to the rules of the project. It only removes permissions, and it applies to
 * every call of the run, also after a restart.
 */
export interface RunAccess {
  /**
   * The names of the skills that the run may call, at any depth, as patterns with `*`. The built-in tools are
   * not part of this list. Without it, the run may call every skill.
   */
  readonly skills?: readonly string[];
  /** The only uses of tools that are allowed, as rules such as `Read` or `Bash(git diff *)`. */
  readonly allow?: readonly string[];
  /** Uses of tools that are denied. */
  readonly deny?: readonly string[];
}

/** Who answers, decides or cancels, on a request from a server. */
export interface Requester {
  /** The user's id. The log contains a pseudonymous value instead. */
  readonly user?: string;
  /** The id of the key with which the server received the request. */
  readonly client?: string;
}

/** Who answered, decided or cancelled. Absent in logs of earlier releases, and if it is not known. */
export interface Actor {
  /** A pseudonymous value that identifies the user. */
  readonly user?: string;
  /** The id of the key with which a server received the answer. */
  readonly client?: string;
}

/** The user on whose behalf a run is started. */
export interface RunUser {
  /** The user's id. A session belongs to the user who started it; other users get `policy.denied`. */
  readonly id?: string;
  /** The user's roles. Some skills are available only to certain roles. Default: none. */
  readonly roles?: readonly string[];
}

/** Returns a hash that identifies a user in the log without revealing the name. */
export function userKey(user: string | undefined): string | undefined {
  return user === undefined || user === '' ? undefined : hash('sha256', `user/${user}`).slice(0, 16);
}

/** The maximum number of roles per user. */
export const maxRoles = 100;

/** A description of a valid list of roles, worded to end a sentence. */
export const rolesExpected = `a list of at most ${maxRoles} names`;

/** Whether a value is a valid list of roles. */
export function areRoles(value: unknown): value is readonly string[] {
  if (!Array.isArray(value) || value.length > maxRoles) return false;
  return value.every((role) => typeof role === 'string' && role.trim() !== '');
}
