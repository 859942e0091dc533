import {
  attachmentsSpace,
  createLimiter,
  memorySpace,
  summariesSpace,
  turnsSpace,
  type SessionConfig,
  type Store,
} from '../core/index.ts';
import type { SessionTable } from './session-table.ts';

/** The functions that remove sessions and their data. */
export interface Forgetting {
  /** Deletes a session's memory, turns and summary. */
  empty(key: string): Promise<void>;
  /** Removes a session with its data, even if it is in use. */
  remove(key: string): Promise<void>;
  /** Resolves once no removal of the session is in progress. */
  removed(key: string): Promise<void>;
  /**
   * Removes idle sessions until the maximum is no longer exceeded, least recently used first. Resolves to the
   * number of removed sessions. Never removes a session that was just written to, even if all others are in
   * use.
   */
  shrink(): Promise<number>;
  /**
   * Removes expired sessions, and then idle sessions until the maximum is no longer exceeded. Resolves to the
   * number of removed sessions.
   */
  cleanUp(): Promise<number>;
}

/** Everything needed to remove sessions. */
interface ForgettingPorts {
  readonly config: SessionConfig;
  readonly table: SessionTable;
  readonly store: Pick<Store, 'delete' | 'clear' | 'runs'>;
  readonly now: () => number;
  readonly isHeld: (key: string) => boolean;
  readonly onForget: (key: string) => Promise<void>;
}

const maxWaitingRuns = 1_000_000;

/**
 * Creates the functions that remove sessions. Only one cleanup runs at a time. Sessions that are known to be
 * waiting are skipped, but `cleanUp` checks them again.
 */
export function createForgetting(ports: ForgettingPorts): Forgetting {
  const { config, table, store, now, isHeld, onForget } = ports;
  const removals = new Map<string, Promise<void>>();
  const looks = createLimiter(1);

  const empty = async (key: string): Promise<void> => {
    const spaces = [memorySpace(key), turnsSpace(key), attachmentsSpace(key)];
    await Promise.all([...spaces.map((space) => store.clear(space)), store.delete(summariesSpace, key)]);
  };
  const remove = async (key: string): Promise<void> => {
    const removal = empty(key).then(() => table.remove(key));
    const done = removal.then(
      () => onForget(key).catch(() => undefined), // a failed close is not a reason to keep the session
      () => undefined, // the caller of remove gets the error
    );
    removals.set(key, done);
    try {
      await removal;
      await done;
    } finally {
      removals.delete(key);
    }
  };
  /** Removes a session unless a process is using it. Checks this again immediately before the removal. */
  const removeIdle = async (key: string): Promise<boolean> => {
    if (isHeld(key) || table.get(key)?.isWaiting !== false) return false;
    const [run] = await store.runs({ session: key, status: ['running', 'waiting'], limit: 1 });
    if (run !== undefined) {
      table.note(key, run.status === 'waiting');
      return false;
    }
    if (!(await table.isUpToDate(key)) || isHeld(key)) return false;
    await remove(key);
    return true;
  };
  /** Removes sessions that have not been used since `oldest`, least recently used first. */
  const removeExpired = async (oldest: number): Promise<number> => {
    let count = 0;
    for (const key of table.keys()) {
      if ((table.get(key)?.lastAccessTime ?? 0) < oldest && (await removeIdle(key))) count += 1;
    }
    return count;
  };
  const isTooMany = (): boolean => config.maxSessions > 0 && table.size > config.maxSessions;
  const removeExcess = async (): Promise<number> => {
    const examined = new Set<string>();
    let count = 0;
    while (isTooMany()) {
      // Skip a session that another process has just used, and check the next oldest session instead.
      const key = table.oldest(table.size - config.maxSessions).find((one) => !examined.has(one));
      if (key === undefined) break;
      examined.add(key);
      if (await removeIdle(key)) count += 1;
    }
    return count;
  };
  const noteWaiting = async (): Promise<void> => {
    const runs = await store.runs({ status: ['waiting'], limit: maxWaitingRuns });
    const waiting = new Set(runs.map(({ session }) => session));
    for (const key of table.keys()) table.note(key, waiting.has(key));
  };

  return {
    empty,
    remove,
    async removed(key) {
      while (removals.has(key)) await removals.get(key);
    },
    shrink: async () => (isTooMany() ? looks.run(removeExcess) : 0),
    cleanUp: () =>
      looks.run(async () => {
        await table.read(isHeld);
        await noteWaiting();
        const expired = config.sessionTTL === 0 ? 0 : await removeExpired(now() - config.sessionTTL);
        return expired + (await removeExcess());
      }),
  };
}
