import type { Json } from '../core/json.ts';
import type { SessionMemory } from '../core/session.ts';
import type { Store } from '../core/store.ts';
import { memorySpace } from '../core/session.ts';

/** What the memory of one session needs. */
export interface SessionMemoryPorts {
  readonly store: Pick<Store, 'get' | 'set' | 'delete' | 'entries'>;
  /** The session as it is kept, asked for with every call. */
  readonly idOf: () => string;
  /** A key as it may be kept. */
  readonly keyOf: (key: string) => string;
  /** A value as it may be kept. */
  readonly clean: (value: Json) => Json;
  /** Writes while the session counts as used, so that what is written is forgotten with it. */
  readonly use: (write: () => Promise<void>) => Promise<void>;
}

/** The values of a session as the program sees them; reading makes no session, writing does. */
export function createSessionMemory(ports: SessionMemoryPorts): SessionMemory {
  const { store, clean, use } = ports;
  const space = (): string => memorySpace(ports.idOf());
  const entryKey = (key: string): string => {
    const slash = key.indexOf('/') + 1; // the name of a skill before it is kept as it is
    return key.slice(0, slash) + ports.keyOf(key.slice(slash));
  };
  return {
    get: (key) => store.get(space(), entryKey(key)),
    set: (key, value) => use(() => store.set(space(), entryKey(key), clean(value))),
    delete: (key) => store.delete(space(), entryKey(key)),
    entries: () => store.entries(space()),
  };
}
