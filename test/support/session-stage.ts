import assert from 'node:assert/strict';
import { isAgentError } from '../../src/core/error.ts';
import type { SessionConfig } from '../../src/core/session.ts';
import type { Store } from '../../src/core/store.ts';
import { Sessions, type SessionPorts } from '../../src/sessions/sessions.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';

/** Sessions and what surrounds them. */
export interface SessionStage {
  readonly sessions: Sessions;
  readonly store: Store;
  /** Stands until it is moved; milliseconds. */
  readonly clock: { now: number };
  /** The sessions of another process on the same store. */
  readonly begin: () => Sessions;
}

/** Sessions on a store in memory, unless another one is given. */
export function stageSessions(
  config: Partial<SessionConfig> = {},
  { store = createMemoryStore(), ...more }: Partial<Omit<SessionPorts, 'store'>> & { store?: Store } = {},
): SessionStage {
  const clock = { now: 1_000 };
  const begin = (): Sessions => new Sessions(config, { now: () => clock.now, ...more, store });
  return { clock, store, begin, sessions: begin() };
}

/** Uses sessions by nobody, one after the other. */
export async function useSessions(sessions: Sessions, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) await sessions.turn(id, undefined, nothing);
}

/** Work that does nothing. */
export async function nothing(): Promise<void> {
  await Promise.resolve();
}

/** Work that nobody may get to do. */
export async function mustNotRun(): Promise<never> {
  throw new assert.AssertionError({ message: 'It was carried out.' });
}

/** Whether it was refused because the session is another user's. */
export function denied(thrown: unknown): boolean {
  return isAgentError(thrown) && thrown.code === 'policy.denied' && thrown.hint !== undefined;
}
