import {
  defaultSession,
  type Json,
  type SessionConfig,
  type SessionMemory,
  type SessionStats,
  type Store,
} from '../core/index.ts';
import { createForgetting, type Forgetting } from './expiry.ts';
import { buildSessionStats, createSessionMemory } from './session-memory.ts';
import { sessionLimits } from './session-options.ts';
import { SessionTable } from './session-table.ts';
import { createSessionWork, createUses, type SessionWork } from './session-work.ts';

/** What sessions need of their surroundings. */
export interface SessionPorts {
  readonly store: Pick<Store, 'get' | 'set' | 'add' | 'delete' | 'entries' | 'clear' | 'runs'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** An id or a key as runs keep it; the same unless given. Everything here is kept and told under it. */
  readonly keyOf?: (id: string) => string;
  /** A value of the program as it may be kept; the same unless given. */
  readonly clean?: (value: Json) => Json;
  /** Closes what is kept open for a session that is forgotten. */
  readonly onForget?: (id: string) => Promise<void>;
}

/**
 * The sessions of an agent: who may use them, one turn of each at a time, and which of them are forgotten. Those that
 * are idle for too long go with the next clean-up, those that were used least recently as soon as there are too many;
 * the default session and those in which something runs or waits stay.
 */
export class Sessions {
  readonly #config: SessionConfig;
  readonly #ports: SessionPorts;
  readonly #table: SessionTable;
  readonly #forgetting: Forgetting;
  readonly #work: SessionWork;
  readonly #uses = createUses();
  #loaded: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  /** Throws `usage.bad-input` for numbers that are none. */
  constructor(config: Partial<SessionConfig>, ports: SessionPorts) {
    const { store, now, onForget = async () => undefined } = ports;
    const { isHeld } = this.#uses;
    const table = new SessionTable(store, now);
    this.#config = sessionLimits(config);
    this.#ports = ports;
    this.#table = table;
    this.#forgetting = createForgetting({ config: this.#config, table, store, now, isHeld, onForget });
    this.#work = createSessionWork({
      store,
      table,
      uses: this.#uses,
      forgetting: this.#forgetting,
      prepare: () => this.#prepare(),
    });
  }

  /** Work that is a turn of a session: after all turns of it that were asked for before. Another user's session is `policy.denied`, at once. */
  turn<Result>(id: string, user: string | undefined, work: () => Promise<Result>): Promise<Result> {
    return this.#work.turn(this.#keyOf(id), askerOf(user), work);
  }

  /** Work that uses a session without being a turn of it: at once, beside others. */
  during<Result>(id: string, user: string | undefined, work: () => Promise<Result>): Promise<Result> {
    return this.#work.beside(this.#keyOf(id), askerOf(user), work);
  }

  /** The values of a session for the program itself, whoever it belongs to. */
  memory(id: string): SessionMemory {
    const { store, clean = (value) => value } = this.#ports;
    return createSessionMemory({
      store,
      clean,
      idOf: () => this.#findKey(id),
      keyOf: (key) => this.#keyOf(key),
      use: (write) => this.#work.beside(this.#findKey(id), undefined, write),
    });
  }

  /** Empties memory, turns and summary after the turns that were asked for before; for a turn of it at once. */
  clear(id: string): Promise<void> {
    const key = this.#findKey(id);
    return this.#work.between(key, () => this.#forgetting.empty(key));
  }

  /**
   * Forgets a session after the turns that were asked for before, and has the runs dropped that wait in it by then; the
   * default one is only emptied. Tells whether one is gone.
   */
  delete(id: string, drop: (runId: string) => Promise<unknown> = async () => undefined): Promise<boolean> {
    const key = this.#findKey(id);
    return this.#work.between(key, async () => {
      const query = { session: key, status: ['waiting'], limit: mostWaiting } as const;
      for (const run of await this.#ports.store.runs(query)) await drop(run.id);
      const isGone = key !== defaultSession && (await this.#table.has(key));
      await (isGone ? this.#forgetting.remove(key) : this.#forgetting.empty(key));
      return isGone;
    });
  }

  async has(id: string): Promise<boolean> {
    await this.#prepare();
    return this.#table.has(this.#findKey(id));
  }

  /** The ids as they are kept, without the default one, least recently used first. */
  async active(): Promise<readonly string[]> {
    await this.#table.read(this.#uses.isHeld);
    return this.#table.keys();
  }

  async stats(): Promise<SessionStats> {
    await this.#table.read(this.#uses.isHeld);
    const { store, now } = this.#ports;
    const { isHeld } = this.#uses;
    return buildSessionStats({ config: this.#config, table: this.#table, store, now: now(), isHeld });
  }

  /** Forgets the sessions that were idle for too long, then those past the maximum; resolves with how many. */
  cleanUp(): Promise<number> {
    return this.#forgetting.cleanUp();
  }

  /** From now on nothing is forgotten because time passes, unless `cleanUp` is called. */
  stopCleanup(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  /** Lets go of the process; nothing else is open here. */
  close(): void {
    this.stopCleanup();
  }

  #keyOf(id: string): string {
    return this.#ports.keyOf?.(id) ?? id;
  }

  /** The session that the program means, which may also know it by the id that is told here. */
  #findKey(id: string): string {
    const key = this.#keyOf(id);
    return this.#table.get(key) === undefined && this.#table.get(id) !== undefined ? id : key;
  }

  /** Before the first use, and again where that failed. */
  async #prepare(): Promise<void> {
    this.#startTimer();
    if (this.#config.maxSessions === 0) return; // it is the maximum that needs to know of all
    this.#loaded ??= this.#table.read(this.#uses.isHeld);
    try {
      await this.#loaded;
    } catch (thrown) {
      this.#loaded = undefined;
      throw thrown;
    }
  }

  #startTimer(): void {
    const { cleanupInterval, sessionTTL } = this.#config;
    if (this.#timer !== undefined || this.#isStopped || cleanupInterval === 0 || sessionTTL === 0) return;
    this.#timer = setInterval(() => {
      this.cleanUp().catch(() => undefined); // the next one tries again
    }, cleanupInterval);
    this.#timer.unref();
  }
}

const mostWaiting = 1_000_000;

/** A user without an id is nobody. */
function askerOf(user: string | undefined): string | null {
  return user === undefined || user === '' ? null : user;
}
