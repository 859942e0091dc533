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

/** Everything needed to read and write the memory of a session. */
interface SessionMemoryPorts {
  readonly store: Pick<Store, 'get' | 'set' | 'swap' | 'delete' | 'entries'>;
  /** Returns the stored id of the session. Called for every operation. */
  readonly idOf: () => string;
  /** Converts a key to its stored form. */
  readonly keyOf: (key: string) => string;
  /** Converts a value to its stored form. */
  readonly clean: (value: Json) => Json;
  /** Runs work. If the session exists, marks it as used. */
  readonly read: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /**
   * Runs a write while the session is marked as in use. Removing the session later also removes the value.
   */
  readonly write: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/**
 * Creates a program's view of a session's values. Writing creates the session. Reading marks it as used if it
 * exists.
 */
export function createSessionMemory(ports: SessionMemoryPorts): SessionMemory {
  const { store, clean, read, write } = ports;
  const space = (): string => memorySpace(ports.idOf());
  const entryKey = (key: string): string => {
    // The part before the slash is the name of a skill, which must not change.
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

/** The data from which statistics are computed. */
interface StatsSource {
  readonly config: SessionConfig;
  readonly table: SessionTable;
  readonly store: Pick<Store, 'entries' | 'runs'>;
  readonly now: number;
  /** Whether this process is using a session. The store shows which sessions other processes are using. */
  readonly isHeld: (id: string) => boolean;
}

/**
 * Returns statistics about all sessions. The default session comes first, followed by the others, least
 * recently used first.
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
    if (entry === undefined) return []; // The session has been removed.
    const { createdAt, lastAccessTime } = entry;
    const times = { createdAt, lastAccessTime, ageMs: now - createdAt, idleMs: now - lastAccessTime };
    const isExecuting = isHeld(sessionId) || running.has(sessionId);
    return [{ sessionId, ...times, size, isExecuting, isWaiting: waiting.has(sessionId) }];
  };
  const sessions = (await Promise.all([defaultSession, ...table.keys()].map(factsOf))).flat();
  return { totalSessions: sessions.length, userSessions: sessions.length - 1, config, sessions };
}
