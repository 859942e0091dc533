import { AsyncLocalStorage } from 'node:async_hooks';
import { AgentError, type Store } from '../core/index.ts';
import type { Forgetting } from './expiry.ts';
import { mayUse, type Asker, type SessionTable } from './session-table.ts';
import type { TurnLines } from './turn-lines.ts';

/** Runs functions in sessions, and records when each begins and ends. */
export interface SessionWork {
  /**
   * Runs work after all previously requested turns. Rejects inside a turn of the same session, because it
   * would wait for itself. If `signal` aborts while the work waits, the work never starts.
   */
  turn<Result>(
    key: string,
    asker: Asker,
    work: TurnWork<Result>,
    signal?: AbortSignal,
    mode?: UseMode,
  ): Promise<Result>;
  /** Runs work at once, without waiting for turns. */
  beside<Result>(key: string, asker: Asker, work: () => Promise<Result>): Promise<Result>;
  /** Runs work at once. Marks the session as used if it exists, but does not create it. */
  within<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
  /**
   * Runs work on a session without marking the session as used. Waits for earlier turns, except inside a
   * turn, where the work starts at once.
   */
  between<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

/** Whether a turn creates its session. A guest turn only takes its place in the queue. */
type UseMode = 'member' | 'guest';

/** The work of a turn. `lost` aborts if another process takes over the turn. */
export type TurnWork<Result> = (lost: AbortSignal) => Promise<Result>;

/** Dependencies for running work in sessions. */
interface SessionWorkPorts {
  readonly store: Pick<Store, 'runs'>;
  readonly table: SessionTable;
  readonly lines: TurnLines;
  readonly uses: Uses;
  readonly forgetting: Forgetting;
  /** Called and awaited before each use of a session. */
  readonly prepare: () => Promise<void>;
  /** Closes all resources that work left open in a session that does not exist. */
  readonly onForget: (key: string) => Promise<void>;
}

/** A turn, as passed to the work that runs in it. */
interface Turn {
  readonly key: string;
  isOver: boolean;
}

/**
 * Creates the runner. It holds a session from the request until the end of the work is recorded, so that the
 * session is not removed before then.
 */
export function createSessionWork(ports: SessionWorkPorts): SessionWork {
  const { store, table, lines, uses, forgetting, prepare, onForget } = ports;
  const around = new AsyncLocalStorage<readonly Turn[]>();
  const isInside = (key: string): boolean =>
    around.getStore()?.some((turn) => turn.key === key && !turn.isOver) === true;

  const hold = async <Result>(
    key: string,
    asker: Asker,
    work: () => Promise<Result>,
    mode: UseMode,
  ): Promise<Result> => {
    try {
      return await uses.hold(key, async () => {
        await begin(key, asker, mode);
        try {
          return await work();
        } finally {
          await end(key, asker, mode);
        }
      });
    } finally {
      await shrink();
    }
  };
  const begin = async (key: string, asker: Asker, mode: UseMode): Promise<void> => {
    await prepare();
    await forgetting.removed(key);
    await table[mode === 'guest' ? 'touch' : 'use'](key, asker);
    await shrink();
  };
  const end = async (key: string, asker: Asker, mode: UseMode): Promise<void> => {
    try {
      if (mode === 'guest' && !(await table.has(key))) {
        await onForget(key);
        return;
      }
      const runs = await store.runs({ session: key, status: ['waiting'], limit: 1 });
      // If the session was deleted, create it again, since the work may have left values in it.
      const entry = table.get(key) ?? (await table.use(key, asker));
      await table.save(key, { ...entry, isWaiting: runs.length > 0 });
    } catch {
      // The result of the work counts. If the store fails here, the next use fails too and reports it.
    }
  };
  const shrink = async (): Promise<void> => {
    try {
      await forgetting.shrink();
    } catch {
      // A failed cleanup must not fail this use; the next use tries again.
    }
  };

  return {
    beside: (key, asker, work) => hold(key, asker, work, 'member'),
    within: (key, work) =>
      uses.hold(key, async () => {
        await forgetting.removed(key);
        await table.touch(key, undefined);
        return work();
      }),
    async turn(key, asker, work, signal, mode = 'member') {
      if (isInside(key)) throw waitsForItself();
      const ticket = lines.enter(key, signal);
      const turn = { key, isOver: false };
      try {
        const inTurn = async (): ReturnType<typeof work> => {
          await ticket.turn;
          const entry = table.get(key);
          // Create the session again if it was deleted while this turn waited.
          if (entry === undefined || !mayUse(entry, asker)) await begin(key, asker, mode);
          return around.run([...(around.getStore() ?? []), turn], () => work(ticket.lost));
        };
        return await hold(key, asker, inTurn, mode);
      } finally {
        turn.isOver = true;
        await ticket.leave();
      }
    },
    async between(key, work) {
      if (isInside(key)) return work();
      const ticket = lines.enter(key);
      try {
        return await uses.hold(key, async () => {
          await ticket.turn;
          await forgetting.removed(key);
          return work();
        });
      } finally {
        await ticket.leave();
      }
    },
  };
}

function waitsForItself(): AgentError {
  return new AgentError(
    'usage.bad-input',
    'A turn of this session cannot request another turn of the same session.',
    {
      hint: 'Call the skill with scope.call, or use another session.',
    },
  );
}

/** Counts the uses of each key. */
interface Uses {
  isHeld(key: string): boolean;
  /** Marks a key as in use until the given work has settled. */
  hold<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

/** Creates a usage counter without any uses. */
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
