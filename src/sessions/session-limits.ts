import { AgentError } from '../core/error.ts';
import type { SessionConfig } from '../core/session.ts';

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
