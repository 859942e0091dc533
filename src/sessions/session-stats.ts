import { defaultSession, memorySpace } from '../core/session.ts';
import type { SessionConfig, SessionFacts, SessionStats } from '../core/session.ts';
import type { Store } from '../core/store.ts';
import type { SessionTable } from './session-table.ts';

const mostLiveRuns = 100_000; // older ones would be overlooked

/** What stats are taken from. */
export interface StatsSource {
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
