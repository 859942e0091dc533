import { byCodeUnits, type Json, type Store } from '../core/index.ts';
import { createLifecycle } from './lifecycle.ts';
import { createMemoryRuns } from './memory-runs.ts';

/** How much a memory store keeps. */
export interface MemoryStoreOptions {
  /** Runs that ended; the oldest are forgotten. 1,000 unless given. */
  readonly mostEndedRuns?: number;
}

/** A store that lives as long as its process; it keeps JSON text, so nothing in it can be changed from outside. */
export function createMemoryStore({ mostEndedRuns = 1_000 }: MemoryStoreOptions = {}): Store {
  const runs = createMemoryRuns(mostEndedRuns);
  const values = createMemoryValues();
  const life = createLifecycle('store', async () => {
    runs.clear();
    values.clearAll();
  });
  const during = <Value>(work: () => Value): Promise<Value> => life.during(async () => work());

  return {
    claim: (runId, owner, held) => during(() => runs.claim(runId, owner, held)),
    append: (runId, epoch, events, entries = []) =>
      during(() => {
        const texts = entries.map(({ space, key, value }) => ({ space, key, text: textOf(value) }));
        const seq = runs.append(runId, epoch, events);
        for (const { space, key, text } of texts) {
          if (text === undefined) values.delete(space, key);
          else values.set(space, key, text);
        }
        return seq;
      }),
    beat: (claims) => during(() => runs.beat(claims)),
    release: (claims) => during(() => runs.release(claims)),
    async *read(runId, fromSeq = 1) {
      for (let seq = Math.max(1, Math.ceil(fromSeq)); ; seq += 1) {
        const event = await during(() => runs.at(runId, seq));
        if (event === undefined) return;
        yield event;
      }
    },
    runs: (query = {}) => during(() => runs.list(query)),
    remove: (runIds) => during(() => runs.remove(runIds)),
    expire: (before) =>
      during(() => {
        values.expire();
        return runs.expire(before);
      }),
    get: (space, key) => during(() => values.get(space, key)),
    set: (space, key, value, ttlMs) => during(() => values.set(space, key, JSON.stringify(value), ttlMs)),
    add: (space, key, value, ttlMs) =>
      during(() => {
        if (values.get(space, key) !== undefined) return false;
        values.set(space, key, JSON.stringify(value), ttlMs);
        return true;
      }),
    delete: (space, key) => during(() => values.delete(space, key)),
    clear: (space) => during(() => values.clear(space)),
    entries: (space) => during(() => values.entries(space)),
    close: () => life.end(),
  };
}

function textOf(value: Json | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

/** The values of a memory store, kept as JSON text. */
export interface MemoryValues {
  get(space: string, key: string): Json | undefined;
  set(space: string, key: string, text: string, ttlMs?: number): void;
  delete(space: string, key: string): void;
  entries(space: string): ReadonlyMap<string, Json>;
  /** Forgets those of a space. */
  clear(space: string): void;
  /** Forgets those whose time is over. */
  expire(): void;
  clearAll(): void;
}

interface Value {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number | undefined;
}

/** No values yet. */
export function createMemoryValues(): MemoryValues {
  const spaces = new Map<string, Map<string, Value>>();

  return {
    get(space, key) {
      const value = spaces.get(space)?.get(key);
      return value === undefined || isOver(value) ? undefined : (JSON.parse(value.text) as Json);
    },
    set(space, key, text, ttlMs) {
      const values = spaces.get(space) ?? new Map<string, Value>();
      values.set(key, { text, expiresAt: ttlMs === undefined ? undefined : Date.now() + ttlMs });
      spaces.set(space, values);
    },
    delete(space, key) {
      const values = spaces.get(space);
      values?.delete(key);
      if (values?.size === 0) spaces.delete(space);
    },
    entries: (space) =>
      new Map(
        [...(spaces.get(space) ?? [])]
          .filter(([, value]) => !isOver(value))
          .sort(([a], [b]) => byCodeUnits(a, b))
          .map(([key, value]) => [key, JSON.parse(value.text) as Json]),
      ),
    clear(space) {
      spaces.delete(space);
    },
    expire() {
      for (const [space, values] of spaces) {
        for (const [key, value] of values) if (isOver(value)) values.delete(key);
        if (values.size === 0) spaces.delete(space);
      }
    },
    clearAll: () => spaces.clear(),
  };
}

function isOver({ expiresAt }: Value): boolean {
  return expiresAt !== undefined && expiresAt <= Date.now();
}
