import { hash } from 'node:crypto';
import { AgentError } from '../core/error.ts';
import { defaultSession } from '../core/session.ts';

/** What a caller may name a session by. */
export interface NamedSession {
  readonly sessionId?: string;
  readonly user?: { readonly id?: string; readonly sessionId?: string; readonly sessionToken?: string };
}

/**
 * Which session is meant: the first that is set of `sessionId`, the user's `sessionId` and the user's `sessionToken`,
 * else the default one: that of the user, where a user is named. A token opens a session, and ids stand in logs: so
 * its id is a hash of it.
 */
export function sessionKeyOf({ sessionId, user = {} }: NamedSession): string {
  const own = textOf(sessionId, 'sessionId') ?? textOf(user.sessionId, 'user.sessionId');
  if (own !== undefined) return own;
  const token = textOf(user.sessionToken, 'user.sessionToken');
  if (token !== undefined) return hashed('token', token);
  const id = textOf(user.id, 'user.id');
  return id === undefined ? defaultSession : hashed('user', id);
}

function hashed(kind: 'token' | 'user', text: string): string {
  return `${kind}-${hash('sha256', text).slice(0, 32)}`;
}

/** The empty text is not set either, as where a cookie is missing. */
function textOf(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw new AgentError('usage.bad-input', `The ${name} of a prompt must be text, not ${typeof value}.`, {
    hint: 'Give an id as text, or leave it out for the default session.',
  });
}
