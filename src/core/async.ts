const longestTimeout = 2 ** 31 - 1; // milliseconds; the platform fires a longer one at once, so timer() waits in parts

/** Calls a function after so many milliseconds, unless its scope ends first or the signal aborts first or is aborted already. */
export function timer(milliseconds: number, act: () => void, signal?: AbortSignal): Disposable {
  if (signal?.aborted === true) return { [Symbol.dispose]: () => undefined };
  const end = performance.now() + milliseconds;
  const wait = (): NodeJS.Timeout =>
    setTimeout(ring, Math.min(Math.max(0, end - performance.now()), longestTimeout));
  const ring = (): void => {
    if (end - performance.now() > 1) {
      handle = wait();
      return;
    }
    stop();
    act();
  };
  let handle = wait();
  const stop = (): void => {
    clearTimeout(handle);
    signal?.removeEventListener('abort', stop);
  };
  signal?.addEventListener('abort', stop);
  return { [Symbol.dispose]: stop };
}

/** Calls a function when a signal aborts, until its scope ends. A signal that is aborted already does not call it. */
export function onAbort(signal: AbortSignal | undefined, act: () => void): Disposable {
  signal?.addEventListener('abort', act, { once: true });
  return { [Symbol.dispose]: () => signal?.removeEventListener('abort', act) };
}

/** Resolves after so many milliseconds, or when the signal aborts. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const end = (): void => resolve(undefined);
  using _clock = timer(milliseconds, end);
  using _listener = onAbort(signal, end);
  await promise;
}

/** A time limit as a signal. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

/** A signal that aborts with the reason after so many milliseconds, or together with its parent, until its scope ends. */
export function deadline(milliseconds: number, reason?: unknown, parent?: AbortSignal): Deadline {
  const controller = new AbortController();
  const follow = (): void => controller.abort(parent?.reason);
  const clock = timer(milliseconds, () => controller.abort(reason), parent);
  const listener = onAbort(parent, follow);
  if (parent?.aborted === true) follow();
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clock[Symbol.dispose]();
      listener[Symbol.dispose]();
    },
  };
}

/** Whether work settles before a signal aborts; rejects if the work does. A rejection that comes later is ignored. */
export async function settlesBefore(signal: AbortSignal, work: Promise<unknown>): Promise<boolean> {
  const { promise: aborted, resolve } = Promise.withResolvers<boolean>();
  const stop = (): void => resolve(false);
  using _listener = onAbort(signal, stop);
  if (signal.aborted) stop();
  return await Promise.race([aborted, work.then(() => true)]);
}

/** Whether work settles within so many milliseconds and before the signal aborts; rejects if the work does. */
export async function settlesWithin(
  milliseconds: number,
  work: Promise<unknown>,
  signal?: AbortSignal,
): Promise<boolean> {
  using limit = deadline(milliseconds, undefined, signal);
  return await settlesBefore(limit.signal, work);
}

/**
 * The outcome of work, or a rejection with the signal's reason as soon as that aborts: work that was told to stop may
 * never settle. A value that comes too late goes to `onLate`, which can release it; a late rejection is ignored.
 */
export async function untilAborted<Result>(
  signal: AbortSignal,
  work: Promise<Result>,
  onLate?: (result: Result) => void,
): Promise<Result> {
  if (await settlesBefore(signal, work)) return await work;
  work.then(onLate).catch(() => undefined); // nobody waits for it any more
  throw signal.reason;
}

/** Waits for all of the work. The first failure aborts the rest, and is thrown once everything has settled. */
export async function allOrAbort(
  signal: AbortSignal,
  begin: (signal: AbortSignal) => readonly Promise<void>[],
): Promise<void> {
  const controller = new AbortController();
  const failures: unknown[] = [];
  const work = begin(AbortSignal.any([signal, controller.signal])).map((one) =>
    one.catch((thrown: unknown) => {
      failures.push(thrown);
      controller.abort(thrown);
    }),
  );
  await Promise.all(work);
  if (failures.length > 0) throw failures[0];
}

/** Runs a limited amount of work at once; other work waits in the order of its calls. */
export interface Limiter {
  /** Runs work when a slot is free. If the signal aborts first, the work never starts, and this rejects with its reason. */
  run<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /**
   * Takes a slot until it is disposed of; rejects with the signal's reason if that aborts first. Work that gave up its
   * slot to wait for something takes one again as `isReturning`, ahead of work that never had one.
   */
  acquire(signal?: AbortSignal, isReturning?: boolean): Promise<Disposable>;
}

/** A limiter with so many slots; with one it is a mutex. */
export function createLimiter(slots: number): Limiter {
  const returning = new Set<() => void>();
  const waiting = new Set<() => void>();
  let free = slots;

  const release = (): void => {
    const [next] = returning.size > 0 ? returning : waiting;
    if (next === undefined) free += 1;
    else next(); // it gets the slot
  };
  const acquire: Limiter['acquire'] = async (signal, isReturning = false) => {
    signal?.throwIfAborted();
    if (free > 0) free -= 1;
    else await queue(isReturning ? returning : waiting, signal);
    const slot = new DisposableStack(); // releases once, however often it is disposed of
    slot.defer(release);
    return slot;
  };

  return {
    acquire,
    async run(work, signal) {
      using _slot = await acquire(signal);
      signal?.throwIfAborted(); // it may have aborted after the slot was free
      return await work();
    },
  };
}

/** Waits until something calls and removes the function that this adds to a line. */
async function queue(line: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const begin = (): void => {
    line.delete(begin);
    resolve(undefined);
  };
  line.add(begin);
  using _listener = onAbort(signal, () => {
    if (line.delete(begin)) reject(signal?.reason as Error);
  });
  await promise;
}

/** Work in queues by key: work with the same key runs one after the other, in the order of the calls. */
export interface KeyedQueue {
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
  /** Takes the last place of a queue at once, for a caller that has something else to do before its turn. */
  enter(key: string): QueuePlace;
}

/** A place in a queue. */
export interface QueuePlace {
  /** Resolves when everything before it has left. */
  readonly turn: Promise<void>;
  /** Lets the next one in: now, or when this place's turn would have come. */
  leave(): void;
}

/** Queues that exist only while something is in them. */
export function createKeyedQueue(): KeyedQueue {
  const ends = new Map<string, Promise<void>>();

  const enter = (key: string): QueuePlace => {
    const turn = ends.get(key) ?? Promise.resolve();
    const { promise: left, resolve } = Promise.withResolvers<undefined>();
    const end = turn.then(() => left);
    ends.set(key, end);
    void end.then(() => {
      if (ends.get(key) === end) ends.delete(key);
    });
    return { turn, leave: () => resolve(undefined) };
  };

  return {
    enter,
    async run(key, work) {
      const { turn, leave } = enter(key);
      try {
        await turn;
        return await work();
      } finally {
        leave();
      }
    },
  };
}

/**
 * For long synchronous work, which calls and awaits it often: lets the event loop turn if so many milliseconds have
 * passed since the last time.
 */
export function createYielder(milliseconds: number): () => Promise<void> | undefined {
  let last = performance.now();

  return () => {
    if (performance.now() - last < milliseconds) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        last = performance.now();
        resolve();
      });
    });
  };
}
