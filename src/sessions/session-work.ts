import { AsyncLocalStorage } from 'node:async_hooks';
import { AgentError, createKeyedQueue, type Store } from '../core/index.ts';
import type { Forgetting } from './expiry.ts';
import { mayUse, type Asker, type SessionTable } from './session-table.ts';

/** Work in sessions; each is noted when it begins and when it ends. */
export interface SessionWork {
  /** After the turns of the session that were asked for before; refused inside one of them, which would wait for itself. */
  turn<Result>(key: string, asker: Asker, work: () => Promise<Result>): Promise<Result>;
  /** At once. */
  beside<Result>(key: string, asker: Asker, work: () => Promise<Result>): Promise<Result>;
  /** Work on a session from outside, in the line of its turns, and at once inside one of them; it is no use of it. */
  between<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

/** What work in sessions needs. */
interface SessionWorkPorts {
  readonly store: Pick<Store, 'runs'>;
  readonly table: SessionTable;
  readonly uses: Uses;
  readonly forgetting: Forgetting;
  /** Awaited before every use. */
  readonly prepare: () => Promise<void>;
}

/** A turn, as whatever is done in it knows it. */
interface Turn {
  readonly key: string;
  isOver: boolean;
}

/** A session is held from the moment work is asked for until its end is noted, so that it is not forgotten under it. */
export function createSessionWork(ports: SessionWorkPorts): SessionWork {
  const { store, table, uses, forgetting, prepare } = ports;
  const turns = createKeyedQueue();
  const around = new AsyncLocalStorage<readonly Turn[]>();
  const isInside = (key: string): boolean =>
    around.getStore()?.some((turn) => turn.key === key && !turn.isOver) === true;

  const beside: SessionWork['beside'] = async (key, asker, work) => {
    try {
      return await uses.hold(key, async () => {
        await begin(key, asker);
        try {
          return await work();
        } finally {
          await end(key, asker);
        }
      });
    } finally {
      await shrink();
    }
  };
  const begin = async (key: string, asker: Asker): Promise<void> => {
    await prepare();
    await forgetting.removed(key);
    await table.use(key, asker);
    await shrink();
  };
  const end = async (key: string, asker: Asker): Promise<void> => {
    try {
      const runs = await store.runs({ session: key, status: ['waiting'], limit: 1 });
      const entry = table.get(key) ?? (await table.use(key, asker)); // it was deleted, and what the work has left is its own
      await table.save(key, { ...entry, isWaiting: runs.length > 0 });
    } catch {
      // What the work came to counts; a store that fails here fails the next use as well, which tells.
    }
  };
  const shrink = async (): Promise<void> => {
    try {
      await forgetting.shrink();
    } catch {
      // That others cannot be forgotten is no failure of whoever comes; the next use tries again.
    }
  };

  return {
    beside,
    async turn(key, asker, work) {
      if (isInside(key)) throw waitsForItself();
      const place = turns.enter(key);
      const turn = { key, isOver: false };
      try {
        return await beside(key, asker, async () => {
          await place.turn;
          const entry = table.get(key);
          if (entry === undefined || !mayUse(entry, asker)) await begin(key, asker); // it was deleted meanwhile
          return around.run([...(around.getStore() ?? []), turn], work);
        });
      } finally {
        turn.isOver = true;
        place.leave();
      }
    },
    async between(key, work) {
      if (isInside(key)) return work();
      const place = turns.enter(key);
      try {
        return await uses.hold(key, async () => {
          await place.turn;
          await forgetting.removed(key);
          return work();
        });
      } finally {
        place.leave();
      }
    },
  };
}

function waitsForItself(): AgentError {
  return new AgentError('usage.bad-input', 'A turn of this session cannot ask for another one of it.', {
    hint: 'Call the skill with scope.call, or use another session.',
  });
}

/** What is in use, and how often at once. */
interface Uses {
  isHeld(key: string): boolean;
  /** Holds a key from this moment until the work has settled. */
  hold<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

/** Nothing in use yet. */
export function createUses(): Uses {
  const counts = new Map<string, number>();

  return {
    isHeld: (key) => counts.has(key),
    async hold(key, work) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      try {
        return await work();
      } finally {
        const left = (counts.get(key) ?? 1) - 1;
        if (left > 0) counts.set(key, left);
        else counts.delete(key);
      }
    },
  };
}
