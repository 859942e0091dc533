import {
  createLimiter,
  memorySpace,
  summariesSpace,
  turnsSpace,
  type SessionConfig,
  type Store,
} from '../core/index.ts';
import type { SessionTable } from './session-table.ts';

/** How sessions are forgotten. */
export interface Forgetting {
  /** Takes away memory, turns and summary of a session. */
  empty(key: string): Promise<void>;
  /** Empties a session and takes it away, whatever it does. */
  remove(key: string): Promise<void>;
  /** Resolves when a session is not being removed. */
  removed(key: string): Promise<void>;
  /** Removes the idle ones that were used least recently, down to the maximum where that many are idle. */
  shrink(): Promise<number>;
  /** Removes those whose time is over, then shrinks; resolves with how many there were. */
  cleanUp(): Promise<number>;
}

/** What forgetting needs. */
interface ForgettingPorts {
  readonly config: SessionConfig;
  readonly table: SessionTable;
  readonly store: Pick<Store, 'delete' | 'clear' | 'runs'>;
  readonly now: () => number;
  readonly isHeld: (key: string) => boolean;
  readonly onForget: (key: string) => Promise<void>;
}

const mostWaitingRuns = 1_000_000;

/** One look at a time; what is known to wait is not asked about again before the next clean-up. */
export function createForgetting(ports: ForgettingPorts): Forgetting {
  const { config, table, store, now, isHeld, onForget } = ports;
  const removals = new Map<string, Promise<void>>();
  const looks = createLimiter(1);

  const empty = async (key: string): Promise<void> => {
    const spaces = [memorySpace(key), turnsSpace(key)];
    await Promise.all([...spaces.map((space) => store.clear(space)), store.delete(summariesSpace, key)]);
  };
  const remove = async (key: string): Promise<void> => {
    const removal = empty(key).then(() => table.remove(key));
    const done = removal.then(
      () => onForget(key).catch(() => undefined), // what cannot be closed is not a reason to keep the session
      () => undefined, // whoever removes it is told
    );
    removals.set(key, done);
    try {
      await removal;
      await done;
    } finally {
      removals.delete(key);
    }
  };
  /** Removes a session unless it is used, here or by another process, up to the last moment. */
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
  /** From the one that was used least recently on, as long as one is meant. */
  const removeWhile = async (isMeant: (key: string) => boolean): Promise<number> => {
    let count = 0;
    for (const key of table.keys()) {
      if (!isMeant(key)) break;
      if (await removeIdle(key)) count += 1;
    }
    return count;
  };
  const isTooMany = (): boolean => config.maxSessions > 0 && table.size > config.maxSessions;
  const noteWaiting = async (): Promise<void> => {
    const runs = await store.runs({ status: ['waiting'], limit: mostWaitingRuns });
    const waiting = new Set(runs.map(({ session }) => session));
    for (const key of table.keys()) table.note(key, waiting.has(key));
  };

  return {
    empty,
    remove,
    async removed(key) {
      while (removals.has(key)) await removals.get(key);
    },
    shrink: async () => (isTooMany() ? looks.run(() => removeWhile(isTooMany)) : 0),
    cleanUp: () =>
      looks.run(async () => {
        await table.read(isHeld);
        await noteWaiting();
        const oldest = now() - config.sessionTTL;
        const isOver = (key: string): boolean => (table.get(key)?.lastAccessTime ?? 0) <= oldest;
        const over = config.sessionTTL === 0 ? 0 : await removeWhile(isOver);
        return over + (await removeWhile(isTooMany));
      }),
  };
}
