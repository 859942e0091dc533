import { AsyncLocalStorage } from 'node:async_hooks';
import { AgentError, type Store } from '../core/index.ts';
import type { Forgetting } from './expiry.ts';
import { mayUse, type Asker, type SessionTable } from './session-table.ts';
import type { TurnLines } from './turn-lines.ts';

/** The functions that run work in sessions and record when the sessions are used. */
export interface SessionWork {
  /**
   * Runs work as a turn, after all turns that were requested earlier. If the signal aborts first, the work
   * never starts. Rejects if it is called within a turn of the same session, because that turn would wait for
   * itself.
   */
  turn<Result>(
    key: string,
    asker: Asker,
    work: TurnWork<Result>,
    signal?: AbortSignal,
    mode?: UseMode,
  ): Promise<Result>;
  /** Runs work immediately, without waiting for turns. */
  beside<Result>(key: string, asker: Asker, work: () => Promise<Result>): Promise<Result>;
  /** Runs work immediately. If the session exists, marks it as used. Does not create it. */
  within<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
  /**
   * Runs work without marking the session as used. Waits for earlier turns first, unless it is called within
   * a turn of the same session.
   */
  between<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

/** Whether a turn creates its session (`member`), or only waits in the session's queue (`guest`). */
type UseMode = 'member' | 'guest';

/** The work of a turn. `lost` aborts if another process takes over the queue position. */
export type TurnWork<Result> = (lost: AbortSignal) => Promise<Result>;

/** Everything needed to run work in sessions. */
interface SessionWorkPorts {
  readonly store: Pick<Store, 'runs'>;
  readonly table: SessionTable;
  readonly lines: TurnLines;
  readonly uses: Uses;
  readonly forgetting: Forgetting;
  /** Called before each use of a session. The use begins once the returned promise resolves. */
  readonly prepare: () => Promise<void>;
  /** Closes the resources that work left open in a session that no longer exists. */
  readonly onForget: (key: string) => Promise<void>;
}

/** A turn in progress. The async context of its work identifies it. */
interface Turn {
  readonly key: string;
  isOver: boolean;
}

/**
 * Creates a `SessionWork`. A session is marked as in use from the request until the end of the work is
 * recorded. It is not removed before then.
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
      // If the session was deleted, create it again, because the work may have stored values in it.
      if (table.get(key) === undefined) await table.use(key, asker);
      await table.finish(key, runs.length > 0);
    } catch {
      // A store failure must not replace the work's result. The next use will fail too and report it.
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
          // Create the session again if it was deleted while this turn was waiting.
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

/** A count of the current uses of each key. */
interface Uses {
  isHeld(key: string): boolean;
  /** Marks a key as in use until the work has ended. */
  hold<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

/** Creates a `Uses` in which no key is in use. */
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
