import { hash } from 'node:crypto';
import { AgentError, defaultSession, isJsonObject, type SessionConfig } from '../core/index.ts';

/** The values with which a program identifies a session. */
interface NamedSession {
  readonly sessionId?: string;
  readonly user?: { readonly id?: string; readonly sessionId?: string; readonly sessionToken?: string };
}

/** Returns the given session id, or the default session's id if it is missing, null or empty. */
export function sessionIdOf(given: string | null | undefined): string {
  return textOf(given, 'session id') ?? defaultSession;
}

/**
 * Returns the id of the session: `sessionId`, `user.sessionId`, `user.sessionToken` or `user.id`, whichever
 * is set first, or else the default session's id. Tokens and user ids are hashed, because session ids appear
 * in logs and a token gives access to its session.
 */
export function sessionKeyOf({ sessionId, user: given }: NamedSession): string {
  const user = given ?? {};
  if (!isJsonObject(user)) throw notText('user', 'an object', user);
  const named = textOf(sessionId, 'sessionId') ?? textOf(user.sessionId, 'user.sessionId');
  const token = textOf(user.sessionToken, 'user.sessionToken');
  const id = textOf(user.id, 'user.id');
  const ofToken = token === undefined ? undefined : tokenKeyOf(token);
  const ofUser = id === undefined ? undefined : hashed('user', id);
  if (named !== undefined && isGenerated(named) && named !== ofToken && named !== ofUser) throw notTheirs();
  return named ?? ofToken ?? ofUser ?? defaultSession;
}

/** Returns the session id for a token. Listings contain this id instead of the token. */
export function tokenKeyOf(token: string): string {
  return hashed('token', token);
}

function hashed(kind: 'token' | 'user', text: string): string {
  return `${kind}-${hash('sha256', text).slice(0, 32)}`;
}

/**
 * Whether an id looks like a generated one. Generated ids appear in logs, so they must not give access to a
 * session.
 */
function isGenerated(id: string): boolean {
  return /^(?:token|user)-[0-9a-f]{32}$/.test(id);
}

function notTheirs(): AgentError {
  return new AgentError('policy.denied', 'This session belongs to a user or a token.', {
    hint: 'Pass that user or token, or use a session id of your own.',
  });
}

/**
 * Returns a string that is not empty, or undefined. An empty string, such as the value of a missing cookie,
 * is treated as not set.
 */
function textOf(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw notText(name, 'a string', value);
}

function notText(name: string, expected: string, value: unknown): AgentError {
  return new AgentError('usage.bad-input', `The ${name} must be ${expected}, not ${typeof value}.`, {
    hint: 'Pass an id as a string, or leave it out to use the default session.',
    details: { name },
  });
}

const defaults: SessionConfig = { maxSessions: 1_000, sessionTTL: 7_200_000, cleanupInterval: 300_000 };

// The longest delay that timers support, in milliseconds. A timer with a longer delay fires immediately.
const longestTimer = 2_147_483_647;

/** Returns the session limits with defaults. Throws `usage.bad-input` if a number is invalid. */
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
    { hint: 'Times are in milliseconds; 0 turns the limit off.' },
  );
}
