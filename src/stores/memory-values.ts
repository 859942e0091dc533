import { byCodeUnits } from '../core/text.ts';
import type { Json } from '../core/json.ts';

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
