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

/** What the memory of one session needs. */
interface SessionMemoryPorts {
  readonly store: Pick<Store, 'get' | 'set' | 'delete' | 'entries'>;
  /** The session as it is kept, asked for with every call. */
  readonly idOf: () => string;
  /** A key as it may be kept. */
  readonly keyOf: (key: string) => string;
  /** A value as it may be kept. */
  readonly clean: (value: Json) => Json;
  /** Writes while the session counts as used, so that what is written is forgotten with it. */
  readonly use: (write: () => Promise<void>) => Promise<void>;
}

/** The values of a session as the program sees them; reading makes no session, writing does. */
export function createSessionMemory(ports: SessionMemoryPorts): SessionMemory {
  const { store, clean, use } = ports;
  const space = (): string => memorySpace(ports.idOf());
  const entryKey = (key: string): string => {
    const slash = key.indexOf('/') + 1; // the name of a skill before it is kept as it is
    return key.slice(0, slash) + ports.keyOf(key.slice(slash));
  };
  return {
    get: (key) => store.get(space(), entryKey(key)),
    set: (key, value) => use(() => store.set(space(), entryKey(key), clean(value))),
    delete: (key) => store.delete(space(), entryKey(key)),
    entries: () => store.entries(space()),
  };
}

const mostLiveRuns = 100_000; // older ones would be overlooked

/** What stats are taken from. */
interface StatsSource {
  readonly config: SessionConfig;
  readonly table: SessionTable;
  readonly store: Pick<Store, 'entries' | 'runs'>;
  readonly now: number;
  /** Whether this process works in a session; what other processes do is asked of the store. */
  readonly isHeld: (id: string) => boolean;
}

/** All sessions at this moment, the default one first and then those that were used least recently. */
export async function buildSessionStats(source: StatsSource): Promise<SessionStats> {
  const { config, table, store, now, isHeld } = source;
  const live = await store.runs({ status: ['running', 'waiting'], limit: mostLiveRuns });
  const sessionsWith = (status: string): ReadonlySet<string> =>
    new Set(live.filter((run) => run.status === status).map(({ session }) => session));
  const [running, waiting] = [sessionsWith('running'), sessionsWith('waiting')];

  const factsOf = async (sessionId: string): Promise<readonly SessionFacts[]> => {
    const size = (await store.entries(memorySpace(sessionId))).size;
    const entry = table.get(sessionId);
    if (entry === undefined) return []; // it was forgotten meanwhile
    const { createdAt, lastAccessTime } = entry;
    const times = { createdAt, lastAccessTime, ageMs: now - createdAt, idleMs: now - lastAccessTime };
    const isExecuting = isHeld(sessionId) || running.has(sessionId);
    return [{ sessionId, ...times, size, isExecuting, isWaiting: waiting.has(sessionId) }];
  };
  const sessions = (await Promise.all([defaultSession, ...table.keys()].map(factsOf))).flat();
  return { totalSessions: sessions.length, userSessions: sessions.length - 1, config, sessions };
}
