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
import { sessionLimits, tokenKeyOf } from './session-options.ts';
import { SessionTable } from './session-table.ts';
import { createSessionWork, createUses, type SessionWork, type TurnWork } from './session-work.ts';
import { createTurnLines, type TurnLines } from './turn-lines.ts';

/** Everything that the sessions need from their agent. */
export interface SessionPorts {
  readonly store: Pick<Store, 'get' | 'set' | 'add' | 'swap' | 'delete' | 'entries' | 'clear' | 'runs'>;
  /** Returns the current time in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Converts an id or key to the form that is stored and shown. Defaults to no change. */
  readonly keyOf?: (id: string) => string;
  /** Converts a value to a form that may be stored. Defaults to no change. */
  readonly clean?: (value: Json) => Json;
  /** Closes the resources of a session that was removed. */
  readonly onForget?: (id: string) => Promise<void>;
}

/**
 * The sessions of an agent. Decides who may use a session, runs one turn at a time in each, and removes old
 * sessions. Sessions that were idle for too long are removed by the cleanup. If there are too many, the least
 * recently used ones are removed immediately. The default session is never removed, and neither are sessions
 * with active or waiting runs.
 */
export class Sessions {
  readonly #config: SessionConfig;
  readonly #ports: SessionPorts;
  readonly #table: SessionTable;
  readonly #forgetting: Forgetting;
  readonly #lines: TurnLines;
  readonly #work: SessionWork;
  readonly #uses = createUses();
  /**
   * The original ids that this process has used and whose stored form is different, keyed by that form. Never
   * stored.
   */
  readonly #usedIds = new Map<string, string>();
  #loaded: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  /** Throws `usage.bad-input` if a limit is invalid. */
  constructor(config: Partial<SessionConfig>, ports: SessionPorts) {
    const { store, now, onForget = async () => undefined } = ports;
    const { isHeld } = this.#uses;
    const table = new SessionTable(store, now);
    this.#config = sessionLimits(config);
    this.#ports = ports;
    this.#table = table;
    this.#forgetting = createForgetting({ config: this.#config, table, store, now, isHeld, onForget });
    this.#lines = createTurnLines(store);
    this.#work = createSessionWork({
      store,
      table,
      lines: this.#lines,
      uses: this.#uses,
      forgetting: this.#forgetting,
      prepare: () => this.#prepare(),
      onForget,
    });
  }

  /**
   * Runs a turn after all turns of the session that any process requested earlier. Rejects immediately with
   * `policy.denied` if the session belongs to another user. If the signal aborts first, the turn never
   * starts.
   */
  turn<Result>(
    id: string,
    user: string | undefined,
    work: TurnWork<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    return this.#work.turn(this.#keyOf(id), askerOf(user), work, signal);
  }

  /**
   * Runs a turn with its own memory. The turn does not create the session. Throws `policy.denied` if the
   * session belongs to another user.
   */
  visit<Result>(
    id: string,
    user: string | undefined,
    work: TurnWork<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    return this.#work.turn(this.#keyOf(id), askerOf(user), work, signal, 'guest');
  }

  /** Runs work that uses a session but is not a turn. It does not wait for other work. */
  during<Result>(id: string, user: string | undefined, work: () => Promise<Result>): Promise<Result> {
    return this.#work.beside(this.#keyOf(id), askerOf(user), work);
  }

  /** Returns a session's memory for the program itself, no matter who owns the session. */
  memory(id: string): SessionMemory {
    const { store, clean = (value) => value } = this.#ports;
    return createSessionMemory({
      store,
      clean,
      idOf: () => this.#findKey(id),
      keyOf: (key) => this.#keyOf(key),
      read: (work) => this.#work.within(this.#findKey(id), work),
      write: (work) => this.#work.beside(this.#findKey(id), undefined, work),
    });
  }

  /**
   * Clears the memory, turns and summary of a session, after all turns that were requested earlier. If it is
   * called within a turn, clears them immediately. Calls `drop` for each waiting run of the session, so that
   * the next prompt does not answer a forgotten question.
   */
  clear(id: string, drop: DropRun = dropNothing): Promise<void> {
    const key = this.#findKey(id);
    return this.#work.between(key, async () => {
      const meant = await this.meantBy(id);
      if (meant !== id) return this.clear(meant, drop);
      await this.#dropWaiting(key, drop);
      await this.#forgetting.empty(key);
    });
  }

  /**
   * Deletes a session after all turns that were requested earlier. Calls `drop` for each waiting run of the
   * session. The default session is only cleared. Resolves to true if a session was removed.
   */
  delete(id: string, drop: DropRun = dropNothing): Promise<boolean> {
    const key = this.#findKey(id);
    return this.#work.between(key, async () => {
      const meant = await this.meantBy(id);
      if (meant !== id) return this.delete(meant, drop);
      await this.#dropWaiting(key, drop);
      const isGone = key !== defaultSession && (await this.#table.has(key));
      await (isGone ? this.#forgetting.remove(key) : this.#forgetting.empty(key));
      return isGone;
    });
  }

  async #dropWaiting(session: string, drop: DropRun): Promise<void> {
    const waiting = await this.#ports.store.runs({ session, status: ['waiting'], limit: maxWaiting });
    for (const run of waiting) await drop(run.id);
  }

  /**
   * Returns the id of the session that a program refers to. This is the given id, unless there is no such
   * session and the id is the token of a session. Then it is the id under which listings show that session.
   */
  async meantBy(given: string): Promise<string> {
    const key = this.#findKey(given);
    if (this.#table.get(key) !== undefined || (await this.#table.has(key))) return given;
    const ofToken = tokenKeyOf(given);
    return (await this.#table.has(ofToken)) ? ofToken : given;
  }

  async has(id: string): Promise<boolean> {
    await this.#prepare();
    return this.#table.has(this.#findKey(id));
  }

  /**
   * Returns the ids of all sessions except the default session, least recently used first. An id that this
   * process has not used recently is returned in its stored form.
   */
  async active(): Promise<readonly string[]> {
    await this.#table.read(this.#uses.isHeld);
    return this.#table.keys().map((key) => this.#usedIds.get(key) ?? key);
  }

  async stats(): Promise<SessionStats> {
    await this.#table.read(this.#uses.isHeld);
    const { store, now } = this.#ports;
    const { isHeld } = this.#uses;
    const stats = await buildSessionStats({
      config: this.#config,
      table: this.#table,
      store,
      now: now(),
      isHeld,
    });
    const sessions = stats.sessions.map((one) => ({
      ...one,
      sessionId: this.#usedIds.get(one.sessionId) ?? one.sessionId,
    }));
    return { ...stats, sessions };
  }

  /**
   * Removes sessions that were idle for too long, and then the least recently used sessions until the maximum
   * is no longer exceeded. Resolves to the number of removed sessions.
   */
  cleanUp(): Promise<number> {
    return this.#forgetting.cleanUp();
  }

  /** Stops the timer. Sessions then expire only when `cleanUp` is called. */
  stopCleanup(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  /** Stops the timer, so that the process can exit. Leaves all turn queues. */
  async close(): Promise<void> {
    this.stopCleanup();
    await this.#lines.close();
  }

  #keyOf(id: string): string {
    const key = this.#ports.keyOf?.(id) ?? id;
    if (key !== id) this.#usedIds.set(key, id);
    const [oldest = ''] = this.#usedIds.keys();
    if (this.#usedIds.size > maxUsedIds) this.#usedIds.delete(oldest);
    return key;
  }

  /** Returns the stored form of an id. The program may pass the original id or its stored form. */
  #findKey(id: string): string {
    const key = this.#keyOf(id);
    return this.#table.get(key) === undefined && this.#table.get(id) !== undefined ? id : key;
  }

  /** Loads the table before its first use. If loading fails, the next use tries again. */
  async #prepare(): Promise<void> {
    this.#startTimer();
    // The full list is needed only if the number of sessions is limited.
    if (this.#config.maxSessions === 0) return;
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
      this.cleanUp().catch(() => undefined); // The next cleanup tries again.
    }, cleanupInterval);
    this.#timer.unref();
  }
}

/** Cancels a run that is waiting for the user's answer. */
type DropRun = (runId: string) => Promise<unknown>;

const dropNothing: DropRun = async () => undefined;
const maxUsedIds = 10_000;
const maxWaiting = 1_000_000;

/** Returns the id of a user. An empty id is treated as no id. */
function askerOf(user: string | undefined): string | null {
  return user === undefined || user === '' ? null : user;
}
