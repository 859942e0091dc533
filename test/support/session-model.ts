import { defaultSession, type SessionConfig } from '../../src/core/session.ts';

/** A session in the reference implementation. */
interface Known {
  readonly createdAt: number;
  lastAccessTime: number;
  /** When the last use began. */
  usedAt: number;
  owner: string | undefined;
  /** Whether the session was waiting at the last check or at the end of its last turn. */
  wasWaiting: boolean;
  stored: boolean;
}

/** A simple reference implementation of sessions, in which every operation is immediate. */
export class SessionModel {
  readonly #config: SessionConfig;
  readonly #held = new Map<string, number>();
  #known = new Map<string, Known>(); // least recently used first
  #values = new Map<string, Map<string, number>>();
  readonly waiting = new Set<string>();
  now: number;

  constructor(config: SessionConfig, now: number) {
    this.#config = config;
    this.now = now;
  }

  /** Returns whether the user may use the session. */
  begin(id: string, user: string | undefined): boolean {
    const known = this.#known.get(id);
    if (id === defaultSession || known === undefined || known.owner === user) {
      this.#held.set(id, (this.#held.get(id) ?? 0) + 1);
      this.#touch(id, known ?? this.#make(user));
      this.#shrink();
      return true;
    }
    this.#shrink();
    return false;
  }

  end(id: string, user: string | undefined): void {
    const before = this.#known.get(id);
    const known = before ?? this.#make(user);
    known.wasWaiting = known.stored = this.waiting.has(id);
    if (before === undefined) this.#touch(id, known);
    known.lastAccessTime = this.now;
    const left = (this.#held.get(id) ?? 1) - 1;
    if (left > 0) this.#held.set(id, left);
    else this.#held.delete(id);
    this.#shrink();
  }

  set(id: string, key: string, value: number): void {
    const values = this.#values.get(id) ?? new Map<string, number>();
    this.#values.set(id, values.set(key, value));
  }

  clear(id: string): void {
    this.#values.delete(id);
  }

  delete(id: string): boolean {
    this.#values.delete(id);
    return this.#known.delete(id);
  }

  cleanUp(): number {
    const before = this.#known.size;
    const { sessionTTL } = this.#config;
    for (const [id, known] of this.#known) known.wasWaiting = this.waiting.has(id);
    for (const [id, { lastAccessTime }] of [...this.#known])
      if (sessionTTL > 0 && this.now - lastAccessTime > sessionTTL && this.#isIdle(id)) this.delete(id);
    this.#shrink();
    return before - this.#known.size;
  }

  /** Simulates a new process. Sessions that were last used in the same millisecond are ordered by id. */
  restart(): void {
    const sorted = [...this.#known].sort(
      ([a, one], [b, other]) => one.usedAt - other.usedAt || (a < b ? -1 : 1),
    );
    this.#known = new Map(sorted);
    for (const known of this.#known.values()) known.wasWaiting = known.stored;
  }

  /** Returns the facts of all sessions except the default one, least recently used first. */
  view(): readonly object[] {
    return [...this.#known].map(([sessionId, { createdAt, lastAccessTime }]) => ({
      sessionId,
      createdAt,
      lastAccessTime,
      size: this.values(sessionId).length,
      isExecuting: this.#held.has(sessionId),
      isWaiting: this.waiting.has(sessionId),
    }));
  }

  /** Returns the entries of a session's memory, sorted by key. */
  values(id: string): readonly (readonly [string, number])[] {
    return [...(this.#values.get(id) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  #make(owner: string | undefined): Known {
    const { now } = this;
    return { createdAt: now, lastAccessTime: now, usedAt: now, owner, wasWaiting: false, stored: false };
  }

  #touch(id: string, known: Known): void {
    if (id === defaultSession) return;
    this.#known.delete(id);
    this.#known.set(id, known);
    known.lastAccessTime = known.usedAt = this.now;
  }

  #shrink(): void {
    const { maxSessions } = this.#config;
    if (maxSessions === 0) return;
    const excess = Math.max(0, this.#known.size - maxSessions);
    for (const id of [...this.#known.keys()].slice(0, excess)) if (this.#isIdle(id)) this.delete(id);
  }

  /**
   * Called only for sessions that could be removed. A session found waiting counts as waiting until its next
   * turn ends.
   */
  #isIdle(id: string): boolean {
    const known = this.#known.get(id);
    if (known === undefined || known.wasWaiting || this.#held.has(id)) return false;
    known.wasWaiting = this.waiting.has(id);
    return !known.wasWaiting;
  }
}
