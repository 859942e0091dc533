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
 * The user who wants to use a session: an id, or null for a user without an id. Undefined stands for the
 * program itself, which may use every session.
 */
export type Asker = string | null | undefined;

/**
 * The sessions in a store, least recently used first. Changes by this process are stored immediately. `has`,
 * `touch`, `use` and `isUpToDate` see changes by other processes, as do all other members after `read`. The
 * default session is kept only in this table, not in the store.
 */
export class SessionTable {
  readonly #store: Pick<Store, 'get' | 'set' | 'add' | 'delete' | 'entries'>;
  readonly #now: () => number;
  readonly #entries = new Map<string, SessionEntry>();
  #defaultEntry: SessionEntry;

  constructor(store: Pick<Store, 'get' | 'set' | 'add' | 'delete' | 'entries'>, now: () => number) {
    this.#store = store;
    this.#now = now;
    this.#defaultEntry = newEntry(now(), undefined);
  }

  /** The number of sessions, excluding the default session. */
  get size(): number {
    return this.#entries.size;
  }

  keys(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** Returns the ids of the least recently used sessions, at most `count`. */
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

  /** Whether a session exists, even if another process created it. */
  async has(key: string): Promise<boolean> {
    return key === defaultSession || (await this.#store.get(sessionsSpace, key)) !== undefined;
  }

  /**
   * Loads the sessions from the store. `isHeld` returns whether this process is using a session, which is
   * then kept even if it is not in the store yet.
   */
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
    const ordered = [...this.#entries].sort(([, a], [, b]) => a.usedAt - b.usedAt);
    this.#entries.clear();
    for (const [key, entry] of ordered) this.#entries.set(key, entry);
  }

  /**
   * Marks a session as used. Throws `policy.denied` if the session belongs to another user. Returns undefined
   * if the session does not exist, for example because another process has removed it.
   */
  async touch(key: string, asker: Asker): Promise<SessionEntry | undefined> {
    if (key === defaultSession) return this.#saveUse(key, this.#defaultEntry);
    const stored = await this.#store.get(sessionsSpace, key);
    if (stored !== undefined) return this.#saveUse(key, ownedBy(fromStored(stored), asker));
    this.#entries.delete(key);
    return undefined;
  }

  /** Marks a session as used. Creates it if it does not exist. Throws like `touch`. */
  async use(key: string, asker: Asker): Promise<SessionEntry> {
    for (let failures = 0; ;) {
      const known = await this.touch(key, asker);
      if (known !== undefined) return known;
      const entry = newEntry(this.#now(), asker);
      const isAdded = await this.#store.add(sessionsSpace, key, toStored(entry)).catch((thrown: unknown) => {
        if (failures++ > 0) throw thrown;
        return false; // The store may have added the entry before it failed.
      });
      if (isAdded) return this.#put(key, entry);
    }
  }

  async #saveUse(key: string, entry: SessionEntry): Promise<SessionEntry> {
    const now = this.#now();
    return await this.#write(key, this.#put(key, { ...entry, lastAccessTime: now, usedAt: now }));
  }

  /** Records that a use of a session has ended. This does not mark the session as used again. */
  async finish(key: string, isWaiting: boolean): Promise<void> {
    const known = this.get(key);
    if (known === undefined) return;
    const entry = { ...known, lastAccessTime: this.#now(), isWaiting };
    if (key === defaultSession) this.#defaultEntry = entry;
    else this.#entries.set(key, entry);
    await this.#write(key, entry);
  }

  async #write(key: string, entry: SessionEntry): Promise<SessionEntry> {
    if (key !== defaultSession) await this.#store.set(sessionsSpace, key, toStored(entry));
    return entry;
  }

  /** Records whether a session is waiting. This does not mark it as used. */
  note(key: string, isWaiting: boolean): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#entries.set(key, { ...entry, isWaiting });
  }

  /**
   * Whether an entry is up to date. If another process has used or removed the session, updates the entry.
   */
  async isUpToDate(key: string): Promise<boolean> {
    const known = this.#entries.get(key);
    const stored = await this.#store.get(sessionsSpace, key);
    if (known === undefined || known !== this.#entries.get(key)) return false;
    if (stored === undefined) {
      this.#entries.delete(key);
      return false;
    }
    const entry = fromStored(stored);
    if (entry.lastAccessTime === known.lastAccessTime) return true;
    if (entry.usedAt === known.usedAt) this.#entries.set(key, entry);
    else this.#put(key, entry);
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

/** Whether a user may use a session. A session without an owner belongs to the first user who uses it. */
export function mayUse({ owner }: SessionEntry, asker: Asker): boolean {
  return owner === undefined || asker === undefined || owner === asker;
}

function ownedBy(entry: SessionEntry, asker: Asker): SessionEntry {
  if (mayUse(entry, asker)) return { ...entry, owner: entry.owner === undefined ? asker : entry.owner };
  throw new AgentError('policy.denied', 'This session belongs to another user.', {
    hint: 'Use a session id of your own.',
  });
}

function newEntry(now: number, owner: Asker): SessionEntry {
  return { createdAt: now, lastAccessTime: now, usedAt: now, owner, isWaiting: false };
}

/** A session. Times are in milliseconds since the Unix epoch. */
interface SessionEntry {
  readonly createdAt: number;
  /** The time when the last use of the session began or ended. */
  readonly lastAccessTime: number;
  /** The time when the last use of the session began. */
  readonly usedAt: number;
  /** The id of the session's user. Null if the first user had no id. Undefined if no user has used it. */
  readonly owner: string | null | undefined;
  readonly isWaiting: boolean;
}

/** Converts an entry to its stored form. */
function toStored({ createdAt, lastAccessTime, usedAt, owner, isWaiting }: SessionEntry): JsonObject {
  return { createdAt, lastAccessTime, usedAt, isWaiting, ...(owner === undefined ? {} : { owner }) };
}

/**
 * Reads a stored entry. Never throws: missing times become 0, and a damaged owner becomes a user without an
 * id. Entries of earlier releases have no `usedAt`.
 */
function fromStored(stored: Json): SessionEntry {
  const { createdAt, lastAccessTime, usedAt, owner, isWaiting } = membersOf(stored);
  const last = typeof lastAccessTime === 'number' ? lastAccessTime : 0;
  return {
    createdAt: typeof createdAt === 'number' ? createdAt : 0,
    lastAccessTime: last,
    usedAt: typeof usedAt === 'number' ? usedAt : last,
    owner: typeof owner === 'string' || owner === undefined ? owner : null,
    isWaiting: isWaiting === true,
  };
}
