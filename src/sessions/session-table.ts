import {
  AgentError,
  defaultSession,
  membersOf,
  sessionsSpace,
  type Json,
  type JsonObject,
  type Store,
} from '../core/index.ts';

/**
 * The user of a session: an id, or null for a user without an id. Undefined means the program itself, which
 * may use every session.
 */
export type Asker = string | null | undefined;

/**
 * A store's sessions, least recently used first. Writes by this process go straight to the store. Changes by
 * other processes appear in `has`, `use` and `isUpToDate`, and after `read`. The default session exists only
 * in this table, not in the store.
 */
export class SessionTable {
  readonly #store: Pick<Store, 'get' | 'set' | 'add' | 'delete' | 'entries'>;
  readonly #now: () => number;
  readonly #entries = new Map<string, SessionEntry>();
  #defaultEntry: SessionEntry;

  constructor(store: Pick<Store, 'get' | 'set' | 'add' | 'delete' | 'entries'>, now: () => number) {
    this.#store = store;
    this.#now = now;
    this.#defaultEntry = { createdAt: now(), lastAccessTime: now(), owner: undefined, isWaiting: false };
  }

  /** The number of sessions. Like `keys`, this excludes the default session. */
  get size(): number {
    return this.#entries.size;
  }

  keys(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** Returns the ids of up to `count` sessions, least recently used first. */
  oldest(count: number): readonly string[] {
    const ids: string[] = [];
    for (const id of this.#entries.keys()) {
      if (ids.length >= count) break;
      ids.push(id);
    }
    return ids;
  }

  get(key: string): SessionEntry | undefined {
    return key === defaultSession ? this.#defaultEntry : this.#entries.get(key);
  }

  /** Whether the session exists, even if only another process knows about it. */
  async has(key: string): Promise<boolean> {
    return key === defaultSession || (await this.#store.get(sessionsSpace, key)) !== undefined;
  }

  /** Loads the sessions from the store. `isHeld` returns whether this process is about to write a session. */
  async read(isHeld: (key: string) => boolean): Promise<void> {
    const since = this.#now();
    const stored = await this.#store.entries(sessionsSpace);
    for (const [key, value] of stored) {
      const entry = fromStored(value);
      const known = this.#entries.get(key);
      if (known === undefined || known.lastAccessTime < entry.lastAccessTime) this.#entries.set(key, entry);
    }
    for (const [key, { lastAccessTime }] of this.#entries)
      if (!stored.has(key) && !isHeld(key) && lastAccessTime < since) this.#entries.delete(key);
    const ordered = [...this.#entries].sort(([, a], [, b]) => a.lastAccessTime - b.lastAccessTime);
    this.#entries.clear();
    for (const [key, entry] of ordered) this.#entries.set(key, entry);
  }

  /**
   * Marks a session as used if it exists. Throws `policy.denied` if it belongs to another user. Another
   * process may have removed it.
   */
  async touch(key: string, asker: Asker): Promise<SessionEntry | undefined> {
    if (key === defaultSession) return this.save(key, this.#defaultEntry);
    const stored = await this.#store.get(sessionsSpace, key);
    if (stored !== undefined) return this.save(key, ownedBy(fromStored(stored), asker));
    this.#entries.delete(key);
    return undefined;
  }

  /** Marks a session as used like `touch`, and creates it if necessary. */
  async use(key: string, asker: Asker): Promise<SessionEntry> {
    for (let failures = 0; ;) {
      const known = await this.touch(key, asker);
      if (known !== undefined) return known;
      const now = this.#now();
      const entry = { createdAt: now, lastAccessTime: now, owner: asker, isWaiting: false };
      const isAdded = await this.#store.add(sessionsSpace, key, toStored(entry)).catch((thrown: unknown) => {
        if (failures++ > 0) throw thrown;
        return false; // The store may have added the entry before it failed.
      });
      if (isAdded) return this.#put(key, entry);
    }
  }

  /** Stores an entry. Its last access is set to the current time. */
  async save(key: string, entry: SessionEntry): Promise<SessionEntry> {
    const used = this.#put(key, { ...entry, lastAccessTime: this.#now() });
    if (key !== defaultSession) await this.#store.set(sessionsSpace, key, toStored(used));
    return used;
  }

  /** Records whether a session is waiting. This does not count as using the session. */
  note(key: string, isWaiting: boolean): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#entries.set(key, { ...entry, isWaiting });
  }

  /**
   * Whether the entry in the table is up to date. Updates the entry if another process has used or removed
   * the session.
   */
  async isUpToDate(key: string): Promise<boolean> {
    const known = this.#entries.get(key);
    const stored = await this.#store.get(sessionsSpace, key);
    if (known === undefined || known !== this.#entries.get(key)) return false;
    if (stored === undefined) this.#entries.delete(key);
    else if (fromStored(stored).lastAccessTime === known.lastAccessTime) return true;
    else this.#put(key, fromStored(stored));
    return false;
  }

  /** Removes a session from the table and the store. */
  async remove(key: string): Promise<void> {
    this.#entries.delete(key);
    await this.#store.delete(sessionsSpace, key);
  }

  /** Makes an entry the most recently used one. */
  #put(key: string, entry: SessionEntry): SessionEntry {
    if (key === defaultSession) return (this.#defaultEntry = entry);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }
}

/** Whether a session may be used. A session without an owner belongs to the first user who uses it. */
export function mayUse({ owner }: SessionEntry, asker: Asker): boolean {
  return owner === undefined || asker === undefined || owner === asker;
}

function ownedBy(entry: SessionEntry, asker: Asker): SessionEntry {
  if (mayUse(entry, asker)) return { ...entry, owner: entry.owner === undefined ? asker : entry.owner };
  throw new AgentError('policy.denied', 'This session belongs to another user.', {
    hint: 'Use a session id of your own.',
  });
}

/** A session in the table. Times are in milliseconds since the Unix epoch. */
interface SessionEntry {
  readonly createdAt: number;
  /** The time when the last use of the session began or ended. */
  readonly lastAccessTime: number;
  /** The id of the session's user. Null if the first user had no id; undefined if there was no user yet. */
  readonly owner: string | null | undefined;
  readonly isWaiting: boolean;
}

/** Converts an entry to its stored form. */
function toStored({ createdAt, lastAccessTime, owner, isWaiting }: SessionEntry): JsonObject {
  return { createdAt, lastAccessTime, isWaiting, ...(owner === undefined ? {} : { owner }) };
}

/**
 * Reads a stored entry. Never throws: missing times become 0, and a damaged owner becomes a user without an
 * id.
 */
function fromStored(stored: Json): SessionEntry {
  const { createdAt, lastAccessTime, owner, isWaiting } = membersOf(stored);
  return {
    createdAt: typeof createdAt === 'number' ? createdAt : 0,
    lastAccessTime: typeof lastAccessTime === 'number' ? lastAccessTime : 0,
    owner: typeof owner === 'string' || owner === undefined ? owner : null,
    isWaiting: isWaiting === true,
  };
}
