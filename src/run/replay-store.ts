import type { Store } from '../core/store.ts';

/** A store whose runs can be worked on again without a trace: nothing is claimed, and what is added is not kept. */
export function replayStore(store: Store): Store {
  let last = 1e9; // behind every event that is kept
  return {
    claim: () => Promise.resolve('replay'),
    beat: () => Promise.resolve(new Set()),
    release: () => Promise.resolve(),
    append: (_runId, _epoch, events) => Promise.resolve((last += events.length)),
    read: (runId, fromSeq) => store.read(runId, fromSeq),
    runs: (query) => store.runs(query),
    remove: (runIds) => store.remove(runIds),
    expire: (before) => store.expire(before),
    get: (space, key) => store.get(space, key),
    set: (space, key, value, ttlMs) => store.set(space, key, value, ttlMs),
    add: (space, key, value, ttlMs) => store.add(space, key, value, ttlMs),
    delete: (space, key) => store.delete(space, key),
    clear: (space) => store.clear(space),
    entries: (space) => store.entries(space),
    close: () => store.close(),
  };
}
