import { acceptRenamed, byCodeUnits, type Json, type Store } from '../core/index.ts';
import { createLifecycle } from './lifecycle.ts';
import { createMemoryRuns } from './memory-runs.ts';
import { conflictError } from './run-record.ts';

/** Options for a memory store. */
export interface MemoryStoreOptions {
  /**
   * The maximum number of ended runs to keep. Defaults to 1,000. If there are more, the store drops those
   * that ended first.
   */
  readonly maxEndedRuns?: number;
  /** @deprecated Use `maxEndedRuns`. */
  readonly mostEndedRuns?: number;
}

/**
 * Creates a store in memory, which is lost when its process ends. It stores values as JSON text, so that
 * callers cannot modify them.
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  const current = acceptRenamed(options, { mostEndedRuns: 'maxEndedRuns' }, 'MemoryStoreOptions');
  const { maxEndedRuns = 1_000 } = current;
  const runs = createMemoryRuns(maxEndedRuns);
  const values = createMemoryValues();
  const lifecycle = createLifecycle('store', async () => {
    runs.clear();
    values.clearAll();
  });
  const during = <Value>(work: () => Value): Promise<Value> => lifecycle.during(async () => work());

  return {
    claim: (runId, owner, held) => during(() => runs.claim(runId, owner, held)),
    append: (runId, epoch, events, entries = []) =>
      during(() => {
        const texts = entries.map(({ space, key, value }) => ({ space, key, text: textOf(value) }));
        const stale = entries.find(
          ({ space, key, expected }) =>
            expected !== undefined && textOf(values.get(space, key)) !== textOf(expected.value),
        );
        if (stale !== undefined && runs.beat(new Map([[runId, epoch]])).size === 0)
          throw conflictError(stale.key);
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
    swap: (space, key, expected, value, ttlMs) =>
      during(() => {
        if (textOf(values.get(space, key)) !== textOf(expected)) return false;
        if (value === undefined) values.delete(space, key);
        else values.set(space, key, JSON.stringify(value), ttlMs);
        return true;
      }),
    delete: (space, key) => during(() => values.delete(space, key)),
    clear: (space) => during(() => values.clear(space)),
    entries: (space) => during(() => values.entries(space)),
    close: () => lifecycle.end(),
  };
}

function textOf(value: Json | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

/** The values of a memory store, as JSON text. */
export interface MemoryValues {
  get(space: string, key: string): Json | undefined;
  set(space: string, key: string, text: string, ttlMs?: number): void;
  delete(space: string, key: string): void;
  entries(space: string): ReadonlyMap<string, Json>;
  /** Deletes all values in a space. */
  clear(space: string): void;
  /** Deletes expired values. */
  expire(): void;
  clearAll(): void;
}

interface Value {
  readonly text: string;
  /** When the value expires, in milliseconds since the Unix epoch. Undefined if the value never expires. */
  readonly expiresAt: number | undefined;
}

/** Creates an empty collection of values. */
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
