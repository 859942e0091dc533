import {
  AgentError,
  defaultSession,
  membersOf,
  sessionsSpace,
  type Json,
  type JsonObject,
  type Store,
} from '../core/index.ts';

/** Who uses a session: a user, nobody (null), or the program itself, which may use every one. */
export type Asker = string | null | undefined;

/**
 * The sessions of a store, those that were used least recently first. What this process does is written through; what
 * others do is seen where it matters and whenever the table is read. The default session is known here alone.
 */
export class SessionTable {
  readonly #store: Pick<Store, 'get' | 'set' | 'add' | 'delete' | 'entries'>;
  readonly #now: () => number;
  readonly #entries = new Map<string, SessionEntry>();
  #standing: SessionEntry;

  constructor(store: Pick<Store, 'get' | 'set' | 'add' | 'delete' | 'entries'>, now: () => number) {
    this.#store = store;
    this.#now = now;
    this.#standing = { createdAt: now(), lastAccessTime: now(), owner: undefined, isWaiting: false };
  }

  /** Without the default one, like `keys`. */
  get size(): number {
    return this.#entries.size;
  }

  keys(): readonly string[] {
    return [...this.#entries.keys()];
  }

  get(key: string): SessionEntry | undefined {
    return key === defaultSession ? this.#standing : this.#entries.get(key);
  }

  /** Whether there is such a session, also one that only another process knows. */
  async has(key: string): Promise<boolean> {
    return key === defaultSession || (await this.#store.get(sessionsSpace, key)) !== undefined;
  }

  /** Takes over what the store knows; `isHeld` are the sessions that this process is about to write. */
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

  /** Notes that a session is used, which is made if there is none; throws `policy.denied` when it is another user's. */
  async use(key: string, asker: Asker): Promise<SessionEntry> {
    if (key === defaultSession) return this.save(key, this.#standing);
    for (;;) {
      const stored = await this.#store.get(sessionsSpace, key);
      if (stored !== undefined) return this.save(key, ownedBy(fromStored(stored), asker));
      const now = this.#now();
      const made = { createdAt: now, lastAccessTime: now, owner: asker, isWaiting: false };
      if (await this.#store.add(sessionsSpace, key, toStored(made))) return this.#put(key, made);
    }
  }

  /** Keeps an entry, as used now. */
  async save(key: string, entry: SessionEntry): Promise<SessionEntry> {
    const used = this.#put(key, { ...entry, lastAccessTime: this.#now() });
    if (key !== defaultSession) await this.#store.set(sessionsSpace, key, toStored(used));
    return used;
  }

  /** Notes whether a session waits, which is no use of it. */
  note(key: string, isWaiting: boolean): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#entries.set(key, { ...entry, isWaiting });
  }

  /** Whether a session is as this table knows it; if another process has used it or taken it away, the table learns that. */
  async isUpToDate(key: string): Promise<boolean> {
    const known = this.#entries.get(key);
    const stored = await this.#store.get(sessionsSpace, key);
    if (known === undefined || known !== this.#entries.get(key)) return false;
    if (stored === undefined) this.#entries.delete(key);
    else if (fromStored(stored).lastAccessTime === known.lastAccessTime) return true;
    else this.#put(key, fromStored(stored));
    return false;
  }

  /** Takes a session out of the table and of the store. */
  async remove(key: string): Promise<void> {
    this.#entries.delete(key);
    await this.#store.delete(sessionsSpace, key);
  }

  /** Sets an entry behind all others. */
  #put(key: string, entry: SessionEntry): SessionEntry {
    if (key === defaultSession) return (this.#standing = entry);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }
}

/** Whether a session may be used; one that nobody has used yet belongs to whoever uses it first. */
export function mayUse({ owner }: SessionEntry, asker: Asker): boolean {
  return owner === undefined || asker === undefined || owner === asker;
}

function ownedBy(entry: SessionEntry, asker: Asker): SessionEntry {
  if (mayUse(entry, asker)) return { ...entry, owner: entry.owner === undefined ? asker : entry.owner };
  throw new AgentError('policy.denied', 'This session belongs to another user.', {
    hint: 'Use a session id of your own.',
  });
}

/** What is kept of a session. Times in milliseconds since 1970. */
interface SessionEntry {
  readonly createdAt: number;
  /** When its last use began or ended. */
  readonly lastAccessTime: number;
  /** Its user; null when whoever used it first was nobody, undefined while only the program itself has used it. */
  readonly owner: string | null | undefined;
  readonly isWaiting: boolean;
}

/** An entry as a store keeps it. */
function toStored({ createdAt, lastAccessTime, owner, isWaiting }: SessionEntry): JsonObject {
  return { createdAt, lastAccessTime, isWaiting, ...(owner === undefined ? {} : { owner }) };
}

/** The entry that a store has kept; never throws: what is damaged counts as old, and as nobody's who could use it. */
function fromStored(stored: Json): SessionEntry {
  const { createdAt, lastAccessTime, owner, isWaiting } = membersOf(stored);
  return {
    createdAt: typeof createdAt === 'number' ? createdAt : 0,
    lastAccessTime: typeof lastAccessTime === 'number' ? lastAccessTime : 0,
    owner: typeof owner === 'string' || owner === undefined ? owner : null,
    isWaiting: isWaiting === true,
  };
}
