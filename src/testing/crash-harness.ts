import type { Store } from '../core/index.ts';

/** The append at which a process dies, counted from 1: it never reaches the store, or reaches it and nobody learns of it. */
export interface CrashPoint {
  readonly at: number;
  readonly when: 'before' | 'after';
}

/** A store as one process sees it that may die at any moment; what is beneath it stays open for the next one. */
export interface CrashingStore extends Store {
  /** How many appends were begun. */
  readonly appends: number;
  readonly isDead: boolean;
  /** Settles with the death of the process, when nothing of it is on its way to the store any more. */
  readonly crashed: Promise<void>;
  /** Dies now. */
  kill(): void;
}

/** One process of a trial. */
export interface Life {
  /** Counted from 1: whatever is above has to find its work in the store. */
  readonly number: number;
  readonly store: CrashingStore;
  /** Does something to the world; nothing happens, and nothing settles, once the process is dead. */
  effect<Value>(perform: () => Value | Promise<Value>): Promise<Value>;
}

/** Something that processes work on, one after another, until it is done. */
export interface CrashWork<Outcome> {
  /** The store of one trial, empty; closing it is left to the caller. */
  readonly open: () => Store | Promise<Store>;
  /** One process: begins the work or takes up what the store knows of it; resolves when all is done. */
  readonly live: (life: Life) => Promise<Outcome>;
}

/** How a trial ended. */
export interface CrashResult<Outcome> {
  readonly outcome: Outcome;
  readonly store: Store;
  /** Where its processes were to die, in order. */
  readonly deaths: readonly CrashPoint[];
  /** How many processes it took. */
  readonly lives: number;
  /** The appends of the last process. */
  readonly appends: number;
}

/**
 * Does the work once without a crash and then once for each append of that, dying before it and after it; `check`
 * judges every trial. Resolves with the number of crashes.
 */
export async function everyCrash<Outcome>(
  work: CrashWork<Outcome>,
  check: (trial: CrashResult<Outcome>) => void | Promise<void>,
): Promise<number> {
  const whole = await liveThrough(work, []);
  await check(whole);
  let crashes = 0;
  for (let at = 1; at <= whole.appends; at++) {
    for (const when of ['before', 'after'] as const) {
      const trial = await liveThrough(work, [{ at, when }]);
      await check(trial);
      crashes += trial.lives - 1;
    }
  }
  return crashes;
}

/** Does the work in one process after another; each dies at its own point, and the one after the last point lives. */
export async function liveThrough<Outcome>(
  { open, live }: CrashWork<Outcome>,
  deaths: readonly CrashPoint[],
): Promise<CrashResult<Outcome>> {
  const store = await open();
  for (let number = 1; ; number++) {
    const own = crashingStore(store, deaths[number - 1]);
    const ended = live(createLife(number, own)).then((outcome) => ({ outcome }));
    ended.catch(() => undefined); // what a dead process comes to is nobody's business
    const end = await Promise.race([ended, own.crashed]);
    if (end === undefined) continue;
    return { ...end, store, deaths, lives: number, appends: own.appends };
  }
}

function createLife(number: number, store: CrashingStore): Life {
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

/** A store for a process that dies at a point, or when it is killed. From then on nothing that it is asked settles. */
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
    /** A dead process has lost everything, also while it asked: so what is left of it here lets go of its timers. */
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
    delete: (space, key) => during(() => store.delete(space, key)),
    clear: (space) => during(() => store.clear(space)),
    entries: (space) => during(() => store.entries(space)),
    close: () => during(() => Promise.resolve()),
  };
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
