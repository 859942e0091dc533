import { renamedFunction, type Store } from '../core/index.ts';

/**
 * A crash just before or just after one append takes effect. `at` is the number of that append, counted from
 * 1. A crash before it loses its events; a crash after it stores them without confirming this to the caller.
 */
export interface CrashPoint {
  readonly at: number;
  readonly when: 'before' | 'after';
}

/**
 * The view that one process has of a store. The process can crash at any time, and the next process then
 * opens the same store.
 */
export interface CrashingStore extends Store {
  /** The number of appends that the process has started, including one that was lost in the crash. */
  readonly appends: number;
  readonly isDead: boolean;
  /** Resolves once the process has crashed and its pending calls to the store have settled. */
  readonly crashed: Promise<void>;
  /** Crashes the process immediately. */
  kill(): void;
}

/** A process in a crash test. When a process crashes, the test starts the next one. */
export interface Incarnation {
  /**
   * The number of the process, counted from 1. Every process after the first must continue from what it finds
   * in the store.
   */
  readonly number: number;
  readonly store: CrashingStore;
  /**
   * Performs a side effect and resolves to its result. Once the process has crashed, it performs nothing and
   * never resolves.
   */
  effect<Value>(perform: () => Value | Promise<Value>): Promise<Value>;
}

/** Work that survives crashes: each new process continues it until it is done. */
export interface CrashWork<Outcome> {
  /** Opens an empty store for one test. The crash test closes the store. */
  readonly open: () => Store | Promise<Store>;
  /** Runs one process, which starts the work or resumes it from the store. Resolves once the work is done. */
  readonly live: (incarnation: Incarnation) => Promise<Outcome>;
}

/** The result of one crash test. */
export interface CrashResult<Outcome> {
  readonly outcome: Outcome;
  readonly store: Store;
  /** The points at which processes crashed, in order. */
  readonly deaths: readonly CrashPoint[];
  /** The number of processes that ran, including the last one, which did not crash. */
  readonly lives: number;
  /** The number of appends that the last process started. */
  readonly appends: number;
}

/**
 * Runs the work once without a crash. Then, for each append of that run, runs the work again with a crash
 * before the append and once more with a crash after it. Calls `check` with every result. Resolves to the
 * total number of crashes.
 */
export async function everyCrash<Outcome>(
  work: CrashWork<Outcome>,
  check: (result: CrashResult<Outcome>) => void | Promise<void>,
): Promise<number> {
  const whole = await runWithCrashes(work, []);
  await check(whole);
  let crashes = 0;
  for (let at = 1; at <= whole.appends; at++) {
    for (const when of ['before', 'after'] as const) {
      const result = await runWithCrashes(work, [{ at, when }]);
      await check(result);
      crashes += result.lives - 1;
    }
  }
  return crashes;
}

/**
 * Runs the work in a sequence of processes. Each one crashes at its point in the list, and a last one
 * completes the work.
 */
export async function runWithCrashes<Outcome>(
  { open, live }: CrashWork<Outcome>,
  deaths: readonly CrashPoint[],
): Promise<CrashResult<Outcome>> {
  const store = await open();
  for (let number = 1; ; number++) {
    const own = crashingStore(store, deaths[number - 1]);
    const ended = live(createIncarnation(number, own)).then((outcome) => ({ outcome }));
    ended.catch(() => undefined); // A process may fail after it has crashed. Ignore its errors.
    const end = await Promise.race([ended, own.crashed]);
    if (end === undefined) continue;
    return { ...end, store, deaths, lives: number, appends: own.appends };
  }
}

function createIncarnation(number: number, store: CrashingStore): Incarnation {
  return {
    number,
    store,
    async effect(perform) {
      if (store.isDead) return never();
      const value = await perform();
      return store.isDead ? never() : value;
    },
  };
}

/**
 * Creates the store of a process that crashes at `point` or when it is killed. After the crash, only calls to
 * `beat` resolve.
 */
export function crashingStore(store: Store, point?: CrashPoint): CrashingStore {
  const { promise: crashed, resolve } = Promise.withResolvers<undefined>();
  const underWay = new Set<Promise<unknown>>();
  let isDead = false;
  let appends = 0;

  const kill = (): void => {
    if (isDead) return;
    isDead = true;
    void Promise.allSettled(underWay).then(() => {
      resolve(undefined);
    });
  };
  const during = async <Value>(
    work: () => Promise<Value>,
    toTheDead: () => Value | Promise<Value> = never,
  ): Promise<Value> => {
    if (isDead) return toTheDead();
    const begun = work();
    underWay.add(begun);
    try {
      const value = await begun;
      if (!isDead) return value;
    } catch (thrown) {
      if (!isDead) throw thrown;
    } finally {
      underWay.delete(begun);
    }
    return toTheDead();
  };

  return {
    crashed,
    kill,
    get appends() {
      return appends;
    },
    get isDead() {
      return isDead;
    },
    async append(...given) {
      if (isDead) return never();
      appends++;
      if (point?.at !== appends) return during(() => store.append(...given));
      const written = point.when === 'after' ? during(() => store.append(...given)) : never();
      kill();
      return written;
    },
    /** Reports all claims as lost after a crash, so that code of the crashed process stops its timers. */
    beat: (claims) =>
      during(
        () => store.beat(claims),
        () => new Set(claims.keys()),
      ),
    async *read(runId, fromSeq) {
      const events = store.read(runId, fromSeq)[Symbol.asyncIterator]();
      for (;;) {
        const next = await during(() => events.next());
        if (next.done === true) return;
        yield next.value;
      }
    },
    claim: (...given) => during(() => store.claim(...given)),
    release: (claims) => during(() => store.release(claims)),
    runs: (query) => during(() => store.runs(query)),
    remove: (runIds) => during(() => store.remove(runIds)),
    expire: (before) => during(() => store.expire(before)),
    get: (space, key) => during(() => store.get(space, key)),
    set: (...given) => during(() => store.set(...given)),
    add: (...given) => during(() => store.add(...given)),
    swap: (...given) => during(() => store.swap(...given)),
    delete: (space, key) => during(() => store.delete(space, key)),
    clear: (space) => during(() => store.clear(space)),
    entries: (space) => during(() => store.entries(space)),
    close: () => during(() => Promise.resolve()),
  };
}

/** @deprecated Use `runWithCrashes`. */
export const liveThrough = renamedFunction('liveThrough', 'runWithCrashes', runWithCrashes);

function never(): Promise<never> {
  return new Promise(() => undefined);
}
