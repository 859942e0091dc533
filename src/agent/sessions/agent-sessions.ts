import type { SessionMemory, SessionStats } from '../../core/index.ts';
import { sessionIdOf } from '../../sessions/session-options.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import { releaseDead } from '../runs/run-history.ts';
import type { LazyRunServices } from '../runs/run-services.ts';

/** A session's id as passed by a program. If absent, the default session is used. */
export type GivenSessionId = string | null | undefined;

/**
 * Gives a program access to all of its agent's sessions, regardless of their owners. The session store is
 * opened on first use. An id can also be a session's token. Methods throw `usage.bad-input` for an id that is
 * not a string, and fail after the agent has been shut down.
 */
export class AgentSessions {
  readonly #services: Pick<LazyRunServices, 'openUntilOver' | 'isClosed'>;

  constructor(services: Pick<LazyRunServices, 'openUntilOver' | 'isClosed'>) {
    this.#services = services;
  }

  memory(given: GivenSessionId): SessionMemory {
    const id = sessionIdOf(given);
    const open = async (): Promise<SessionMemory> => {
      const sessions = await this.#sessions();
      return sessions.memory(await sessions.meantBy(id));
    };
    return {
      get: async (key) => (await open()).get(key),
      has: async (key) => (await open()).has(key),
      set: async (key, value) => (await open()).set(key, value),
      update: async (key, change) => (await open()).update(key, change),
      delete: async (key) => (await open()).delete(key),
      entries: async () => (await open()).entries(),
    };
  }

  async clear(given: GivenSessionId): Promise<void> {
    const id = sessionIdOf(given);
    const { runs, sessions } = await this.#services.openUntilOver();
    await sessions.clear(id, (runId) => runs.cancel(runId, 'The conversation was cleared.'));
  }

  async delete(given: GivenSessionId): Promise<boolean> {
    const id = sessionIdOf(given);
    const { runs, sessions } = await this.#services.openUntilOver();
    return sessions.delete(id, (runId) => runs.cancel(runId, 'The session was deleted.'));
  }

  async has(given: GivenSessionId): Promise<boolean> {
    const id = sessionIdOf(given);
    const sessions = await this.#sessions();
    return sessions.has(await sessions.meantBy(id));
  }

  async active(): Promise<readonly string[]> {
    return (await this.#sessions()).active();
  }

  async stats(): Promise<SessionStats> {
    const { store, sessions } = await this.#services.openUntilOver();
    await releaseDead(store); // A run whose process has ended is not in progress.
    return sessions.stats();
  }

  async cleanUp(): Promise<number> {
    return (await this.#sessions()).cleanUp();
  }

  /** Does nothing once a shutdown has begun, because shutting down also stops the timer. */
  async stopCleanup(): Promise<void> {
    if (!this.#services.isClosed) (await this.#sessions()).stopCleanup();
  }

  async #sessions(): Promise<Sessions> {
    return (await this.#services.openUntilOver()).sessions;
  }
}
