import assert from 'node:assert/strict';
import { isAgentError } from '../../src/core/error.ts';
import type { SessionConfig } from '../../src/core/session.ts';
import type { Store } from '../../src/core/store.ts';
import { Sessions, type SessionPorts } from '../../src/sessions/sessions.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';

/** Sessions and the parts they depend on. */
export interface SessionStage {
  readonly sessions: Sessions;
  readonly store: Store;
  /** Milliseconds. The clock only advances when the test sets it. */
  readonly clock: { now: number };
  /** Creates the sessions of another process with the same store. */
  readonly begin: () => Sessions;
}

/** Creates sessions. By default, their store is in memory. */
export function stageSessions(
  config: Partial<SessionConfig> = {},
  { store = createMemoryStore(), ...more }: Partial<Omit<SessionPorts, 'store'>> & { store?: Store } = {},
): SessionStage {
  const clock = { now: 1_000 };
  const begin = (): Sessions => new Sessions(config, { now: () => clock.now, ...more, store });
  return { clock, store, begin, sessions: begin() };
}

/** Uses each session once, in order, without a user. */
export async function useSessions(sessions: Sessions, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) await sessions.turn(id, undefined, nothing);
}

/** Does nothing. */
export async function nothing(): Promise<void> {
  await Promise.resolve();
}

/** Fails the test if it is called. */
export async function mustNotRun(): Promise<never> {
  throw new assert.AssertionError({ message: 'It was carried out.' });
}

/** Returns whether the error says that the session belongs to another user. */
export function denied(thrown: unknown): boolean {
  return isAgentError(thrown) && thrown.code === 'policy.denied' && thrown.hint !== undefined;
}
