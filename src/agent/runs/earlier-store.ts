import { AgentError, createLimiter, type Json, type Store, type StoreEntry } from '../../core/index.ts';

/** A store written for release 0.1, whose contract had no `swap` method and no expected values. */
type EarlierStore = Omit<Store, 'swap'> & Partial<Pick<Store, 'swap'>>;

/**
 * Returns a store with all methods of the current contract. If the store has no `swap`, emits a warning;
 * values are then compared and replaced atomically only within this process.
 */
export function currentStore(store: EarlierStore): Store {
  return hasSwap(store) ? store : withSwap(store);
}

function hasSwap(store: EarlierStore): store is Store {
  return typeof store.swap === 'function';
}

function withSwap(store: EarlierStore): Store {
  process.emitWarning(
    'The store has no "swap" method, so sessions are safe in one process only. The next release requires it.',
    { type: 'DeprecationWarning', code: 'SKILLED_STORE' },
  );
  let closed: Promise<void> | undefined;
  const changes = createLimiter(1); // Runs one change at a time, so that compare-and-replace is atomic.
  const now = <Result>(call: () => Promise<Result>): Promise<Result> =>
    closed === undefined ? call() : closed.then(call);
  const inTurn = <Result>(call: () => Promise<Result>): Promise<Result> => now(() => changes.run(call));
  return {
    claim: (...given) => now(() => store.claim(...given)),
    append: (runId, epoch, events, entries = []) =>
      inTurn(async () => {
        for (const entry of entries) {
          if (await hasExpected(store, entry)) continue;
          await store.append(runId, epoch, []); // Rejects if the claim is lost; that error takes precedence.
          throw conflict(entry);
        }
        return await store.append(runId, epoch, events, entries);
      }),
    beat: (claims) => now(() => store.beat(claims)),
    release: (claims) => now(() => store.release(claims)),
    read: (...given) => store.read(...given),
    runs: (query) => now(() => store.runs(query)),
    remove: (runIds) => now(() => store.remove(runIds)),
    expire: (before) => now(() => store.expire(before)),
    get: (space, key) => now(() => store.get(space, key)),
    set: (...given) => inTurn(() => store.set(...given)),
    add: (...given) => inTurn(() => store.add(...given)),
    swap: (space, key, expected, value, ttlMs) =>
      inTurn(async () => {
        if (!isSame(await store.get(space, key), expected)) return false;
        await (value === undefined ? store.delete(space, key) : store.set(space, key, value, ttlMs));
        return true;
      }),
    delete: (space, key) => inTurn(() => store.delete(space, key)),
    clear: (space) => inTurn(() => store.clear(space)),
    entries: (space) => now(() => store.entries(space)),
    close: () => (closed ??= changes.run(() => store.close())),
  };
}

/** Whether an entry's value in the store is the one that the append expects. */
async function hasExpected(store: EarlierStore, { space, key, expected }: StoreEntry): Promise<boolean> {
  return expected === undefined || isSame(await store.get(space, key), expected.value);
}

function conflict({ key }: StoreEntry): AgentError {
  return new AgentError('skill.conflict', `The value "${key}" was changed after it had been read.`, {
    hint: 'Call the skill again to read the new value.',
    details: { key },
  });
}

function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
