import { hash } from 'node:crypto';
import { AgentError, defaultSession, type SessionConfig } from '../core/index.ts';

/** What a caller may name a session by. */
interface NamedSession {
  readonly sessionId?: string;
  readonly user?: { readonly id?: string; readonly sessionId?: string; readonly sessionToken?: string };
}

/**
 * Which session is meant: the first that is set of `sessionId`, the user's `sessionId` and the user's `sessionToken`,
 * else the default one: that of the user, where a user is named. A token opens a session, and ids stand in logs: so
 * its id is a hash of it.
 */
export function sessionKeyOf({ sessionId, user: given }: NamedSession): string {
  const user = given ?? {};
  const named = textOf(sessionId, 'sessionId') ?? textOf(user.sessionId, 'user.sessionId');
  const token = textOf(user.sessionToken, 'user.sessionToken');
  const id = textOf(user.id, 'user.id');
  const ofToken = token === undefined ? undefined : hashed('token', token);
  const ofUser = id === undefined ? undefined : hashed('user', id);
  if (named !== undefined && isMade(named) && named !== ofToken && named !== ofUser) throw notTheirs();
  return named ?? ofToken ?? ofUser ?? defaultSession;
}

function hashed(kind: 'token' | 'user', text: string): string {
  return `${kind}-${hash('sha256', text).slice(0, 32)}`;
}

/** Whether an id looks like one that is made here: it stands in logs, and opens nothing by itself. */
function isMade(id: string): boolean {
  return /^(?:token|user)-[0-9a-f]{32}$/.test(id);
}

function notTheirs(): AgentError {
  return new AgentError('policy.denied', 'This session belongs to a user or a token.', {
    hint: 'Name that user or give that token, or use a session id of your own.',
  });
}

/** The empty text is not set either, as where a cookie is missing. */
function textOf(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw new AgentError('usage.bad-input', `The ${name} of a prompt must be text, not ${typeof value}.`, {
    hint: 'Give an id as text, or leave it out for the default session.',
  });
}

const defaults: SessionConfig = { maxSessions: 1_000, sessionTTL: 7_200_000, cleanupInterval: 300_000 };

const longestTimer = 2_147_483_647; // milliseconds; a timer that is set for longer goes off at once

/** What was said about sessions, with the defaults; throws `usage.bad-input` for what is no amount. */
export function sessionLimits(given: Partial<SessionConfig>): SessionConfig {
  return {
    maxSessions: amount('maxSessions', given, Number.MAX_SAFE_INTEGER),
    sessionTTL: amount('sessionTTL', given, Number.MAX_SAFE_INTEGER),
    cleanupInterval: amount('cleanupInterval', given, longestTimer),
  };
}

function amount(name: keyof SessionConfig, given: Partial<SessionConfig>, most: number): number {
  const value = given[name] ?? defaults[name];
  if (Number.isSafeInteger(value) && value >= 0 && value <= most) return value;
  throw new AgentError(
    'usage.bad-input',
    `sessionConfig.${name} must be a whole number from 0 to ${most.toLocaleString('en')}, not ${String(value)}.`,
    { hint: 'Give times in milliseconds; 0 switches it off.' },
  );
}
