// The maximum delay that `setTimeout` supports, in milliseconds. A timer with a longer delay would fire
// immediately, so `timer()` splits long delays.
const longestTimeout = 2 ** 31 - 1;

/**
 * Calls a function after a delay in milliseconds, unless the timer is disposed or the signal aborts first. If
 * the signal has already aborted, the function is never called.
 */
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

/**
 * Calls a function when a signal aborts, unless the returned listener is disposed first. If the signal has
 * already aborted, the function is never called.
 */
export function onAbort(signal: AbortSignal | undefined, act: () => void): Disposable {
  signal?.addEventListener('abort', act, { once: true });
  return { [Symbol.dispose]: () => signal?.removeEventListener('abort', act) };
}

/** Resolves after a delay in milliseconds, or when the signal aborts. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const end = (): void => resolve(undefined);
  using _clock = timer(milliseconds, end);
  using _listener = onAbort(signal, end);
  await promise;
}

/** A time limit with a signal that aborts when the time is up. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Creates a signal that aborts with `reason` after a delay in milliseconds, or as soon as its parent aborts.
 * After the deadline is disposed, the signal no longer aborts.
 */
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

/**
 * Resolves to true if a promise is fulfilled before a signal aborts, and to false if the signal aborts first.
 * Rejects if the promise rejects before the signal aborts. A later rejection is ignored.
 */
export async function settlesBefore(signal: AbortSignal, work: Promise<unknown>): Promise<boolean> {
  const { promise: aborted, resolve } = Promise.withResolvers<boolean>();
  const stop = (): void => resolve(false);
  using _listener = onAbort(signal, stop);
  if (signal.aborted) stop();
  return await Promise.race([aborted, work.then(() => true)]);
}

/** Like `settlesBefore`, with an additional time limit in milliseconds. */
export async function settlesWithin(
  milliseconds: number,
  work: Promise<unknown>,
  signal?: AbortSignal,
): Promise<boolean> {
  using limit = deadline(milliseconds, undefined, signal);
  return await settlesBefore(limit.signal, work);
}

/**
 * Returns the result of a promise, or rejects with the signal's reason as soon as the signal aborts, because
 * aborted work might never settle. If the promise is fulfilled later, its result is passed to `onLate`, which
 * can release it. A later rejection is ignored.
 */
export async function untilAborted<Result>(
  signal: AbortSignal,
  work: Promise<Result>,
  onLate?: (result: Result) => void,
): Promise<Result> {
  if (await settlesBefore(signal, work)) return await work;
  // The caller no longer waits for the result, so a rejection is ignored.
  work.then(onLate).catch(() => undefined);
  throw signal.reason;
}

/**
 * Waits for all promises that `begin` returns. The first rejection aborts the signal that was passed to
 * `begin`, and is thrown once all promises have settled.
 */
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

/**
 * A limit on the number of tasks that run at the same time. Further tasks wait in the order in which they
 * were submitted.
 */
export interface Limiter {
  /**
   * Runs work once a slot is free. If the signal aborts first, the work never starts and the promise rejects
   * with the signal's reason.
   */
  run<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /**
   * Acquires a slot and holds it until the slot is disposed. Rejects with the signal's reason if the signal
   * aborts first. `isReturning` marks work that released its slot while it waited for something else. Such
   * work takes priority over new work.
   */
  acquire(signal?: AbortSignal, isReturning?: boolean): Promise<Disposable>;
}

/** Creates a limiter with a number of slots. With one slot, it is a mutex. */
export function createLimiter(slots: number): Limiter {
  const returning = new Set<() => void>();
  const waiting = new Set<() => void>();
  let free = slots;

  const release = (): void => {
    const [next] = returning.size > 0 ? returning : waiting;
    if (next === undefined) free += 1;
    else next(); // Pass the slot to the next waiter.
  };
  const acquire: Limiter['acquire'] = async (signal, isReturning = false) => {
    signal?.throwIfAborted();
    if (free > 0) free -= 1;
    else await queue(isReturning ? returning : waiting, signal);
    const slot = new DisposableStack(); // Release the slot only once, even if it is disposed several times.
    slot.defer(release);
    return slot;
  };

  return {
    acquire,
    async run(work, signal) {
      using _slot = await acquire(signal);
      signal?.throwIfAborted(); // The signal may have aborted after the slot was assigned.
      return await work();
    },
  };
}

/** Adds a callback to a queue and waits until it is called. The callback removes itself from the queue. */
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

/** A set of work queues, one per key. Work with the same key runs one item at a time, in call order. */
export interface KeyedQueue {
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
  /** Joins the end of a key's queue immediately. The caller can do other work while it waits for its turn. */
  enter(key: string): QueueTicket;
}

/** A position in a queue. */
export interface QueueTicket {
  /** A promise that resolves once all earlier tickets have left the queue. */
  readonly turn: Promise<void>;
  /** Leaves the queue. The next ticket's turn begins once all earlier tickets have left. */
  leave(): void;
}

/** Creates a keyed queue. Keys without pending work use no memory. */
export function createKeyedQueue(): KeyedQueue {
  const ends = new Map<string, Promise<void>>();

  const enter = (key: string): QueueTicket => {
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
 * Returns a function that long-running synchronous work should call and await regularly. The function yields
 * to the event loop if at least `milliseconds` have passed since the last yield.
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
