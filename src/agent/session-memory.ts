import type { SessionMemory } from '../core/session.ts';

/** The memory of a session that is opened when it is first touched. */
export function sessionMemory(open: () => Promise<SessionMemory>): SessionMemory {
  return {
    get: async (key) => (await open()).get(key),
    set: async (key, value) => (await open()).set(key, value),
    delete: async (key) => (await open()).delete(key),
    entries: async () => (await open()).entries(),
  };
}
