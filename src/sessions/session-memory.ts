import {
  defaultSession,
  memorySpace,
  type Json,
  type SessionConfig,
  type SessionFacts,
  type SessionMemory,
  type SessionStats,
  type Store,
} from '../core/index.ts';
import type { SessionTable } from './session-table.ts';

/** Dependencies for reading and writing one session's memory. */
interface SessionMemoryPorts {
  readonly store: Pick<Store, 'get' | 'set' | 'swap' | 'delete' | 'entries'>;
  /** Returns the session's stored id. Called for every operation. */
  readonly idOf: () => string;
  /** Converts a key to its stored form. */
  readonly keyOf: (key: string) => string;
  /** Converts a value to its stored form. */
  readonly clean: (value: Json) => Json;
  /** Marks the session as used, if it exists. */
  readonly read: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Marks the session as in use during a write, so that removing the session also removes the value. */
  readonly write: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/**
 * Creates the program's view of a session's values. Writing creates the session; reading only counts as a
 * use.
 */
export function createSessionMemory(ports: SessionMemoryPorts): SessionMemory {
  const { store, clean, read, write } = ports;
  const space = (): string => memorySpace(ports.idOf());
  const entryKey = (key: string): string => {
    // The prefix up to the slash is the skill name, which must not change.
    const slash = key.indexOf('/') + 1;
    return key.slice(0, slash) + ports.keyOf(key.slice(slash));
  };
  const find = (key: string): Promise<Json | undefined> => store.get(space(), entryKey(key));
  return {
    get: (key) => read(() => find(key)),
    has: (key) => read(async () => (await find(key)) !== undefined),
    set: (key, value) => write(() => store.set(space(), entryKey(key), clean(value))),
    update: (key, change) =>
      write(async () => {
        for (;;) {
          const before = await find(key);
          const after = clean(change(before));
          if (await store.swap(space(), entryKey(key), before, after)) return after;
        }
      }),
    delete: (key) =>
      read(async () => {
        const isKnown = (await find(key)) !== undefined;
        if (isKnown) await store.delete(space(), entryKey(key));
        return isKnown;
      }),
    entries: () => read(() => store.entries(space())),
  };
}

const maxLiveRuns = 100_000; // The maximum number of runs to count. Older runs are ignored.

/** The data needed to build the stats. */
interface StatsSource {
  readonly config: SessionConfig;
  readonly table: SessionTable;
  readonly store: Pick<Store, 'entries' | 'runs'>;
  readonly now: number;
  /** Whether this process is working in a session. The store tracks the work of other processes. */
  readonly isHeld: (id: string) => boolean;
}

/**
 * Returns stats for all sessions. The default session comes first, then the others, least recently used
 * first.
 */
export async function buildSessionStats(source: StatsSource): Promise<SessionStats> {
  const { config, table, store, now, isHeld } = source;
  const live = await store.runs({ status: ['running', 'waiting'], limit: maxLiveRuns });
  const sessionsWith = (status: string): ReadonlySet<string> =>
    new Set(live.filter((run) => run.status === status).map(({ session }) => session));
  const [running, waiting] = [sessionsWith('running'), sessionsWith('waiting')];

  const factsOf = async (sessionId: string): Promise<readonly SessionFacts[]> => {
    const size = (await store.entries(memorySpace(sessionId))).size;
    const entry = table.get(sessionId);
    if (entry === undefined) return []; // The session was removed in the meantime.
    const { createdAt, lastAccessTime } = entry;
    const times = { createdAt, lastAccessTime, ageMs: now - createdAt, idleMs: now - lastAccessTime };
    const isExecuting = isHeld(sessionId) || running.has(sessionId);
    return [{ sessionId, ...times, size, isExecuting, isWaiting: waiting.has(sessionId) }];
  };
  const sessions = (await Promise.all([defaultSession, ...table.keys()].map(factsOf))).flat();
  return { totalSessions: sessions.length, userSessions: sessions.length - 1, config, sessions };
}
