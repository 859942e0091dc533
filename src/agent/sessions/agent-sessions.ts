import type { SessionMemory, SessionStats } from '../../core/index.ts';
import { sessionIdOf } from '../../sessions/session-options.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import type { RunServices } from '../runs/run-handle.ts';

/** A session's id as passed by a program. If absent, the default session is used. */
export type GivenSessionId = string | null | undefined;

/**
 * A program's access to its agent's sessions, regardless of their owners. The sessions are opened on first
 * use. Methods throw `usage.bad-input` for an id that is not a string, and after the agent has been shut
 * down.
 */
export class AgentSessions {
  readonly #open: () => Promise<RunServices>;

  constructor(open: () => Promise<RunServices>) {
    this.#open = open;
  }

  memory(given: GivenSessionId): SessionMemory {
    const id = sessionIdOf(given);
    const open = async (): Promise<SessionMemory> => (await this.#sessions()).memory(id);
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
    const { runs, sessions } = await this.#open();
    await sessions.clear(id, (runId) => runs.cancel(runId, 'The conversation was cleared.'));
  }

  async delete(given: GivenSessionId): Promise<boolean> {
    const id = sessionIdOf(given);
    const { runs, sessions } = await this.#open();
    return sessions.delete(id, (runId) => runs.cancel(runId, 'The session was deleted.'));
  }

  async has(given: GivenSessionId): Promise<boolean> {
    const id = sessionIdOf(given);
    return (await this.#sessions()).has(id);
  }

  async active(): Promise<readonly string[]> {
    return (await this.#sessions()).active();
  }

  async stats(): Promise<SessionStats> {
    return (await this.#sessions()).stats();
  }

  async cleanUp(): Promise<number> {
    return (await this.#sessions()).cleanUp();
  }

  async stopCleanup(): Promise<void> {
    (await this.#sessions()).stopCleanup();
  }

  async #sessions(): Promise<Sessions> {
    return (await this.#open()).sessions;
  }
}
