import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  AgentError,
  isJsonObject,
  onAbort,
  pause,
  silentAfter,
  turnLinesSpace,
  type Json,
  type JsonObject,
  type Store,
} from '../core/index.ts';

/** The turn queues. Each session has one queue, which is shared by all processes that use the same store. */
export interface TurnLines {
  /**
   * Takes a ticket at the end of a session's queue immediately. If the signal aborts before the turn begins,
   * the ticket is given up and its `turn` rejects with the signal's reason.
   */
  enter(key: string, signal?: AbortSignal): Ticket;
  /** Gives up all tickets of this process, so that other processes do not wait for them. Never rejects. */
  close(): Promise<void>;
}

/** A ticket in a session's queue. */
export interface Ticket {
  /**
   * A promise that resolves once the ticket is first in its queue. Rejects if the store fails before that.
   */
  readonly turn: Promise<unknown>;
  /**
   * A signal that aborts if another process takes over the turn because this process has sent no heartbeat
   * for too long.
   */
  readonly lost: AbortSignal;
  /** Gives up the ticket. Resolves once the change is stored or the store has failed. */
  leave(): Promise<void>;
}

type LineStore = Pick<Store, 'get' | 'swap'>;

const longestPause = 100; // The maximum time between two polls of a queue, in milliseconds.

/**
 * Creates the queues. They use the store only for sessions in which this process has a ticket. A process that
 * sends no heartbeat for `silentMs` milliseconds loses its tickets.
 */
export function createTurnLines(store: LineStore, silentMs: number = silentAfter): TurnLines {
  const owner = randomBytes(8).toString('hex');
  const lines = new Map<string, Line>();
  let isClosed = false;

  return {
    enter(key, signal) {
      if (isClosed) throw closed();
      let line = lines.get(key);
      if (line === undefined) {
        line = new Line({ store, key, owner, silentMs, onEmpty: () => lines.delete(key) });
        lines.set(key, line);
      }
      return line.enter(signal);
    },
    async close() {
      isClosed = true;
      await Promise.all([...lines.values()].map((line) => line.giveUp(closed())));
    },
  };
}

/** A ticket of this process. */
interface OwnTicket {
  readonly turn: PromiseWithResolvers<undefined>;
  readonly lost: AbortController;
  /** Whether the stored queue contained the ticket when it was last read or written. */
  isStored: boolean;
  isFirst: boolean;
}

/** A stored queue: its tickets in order, and a heartbeat counter for each process. */
interface StoredLine extends JsonObject {
  readonly tickets: readonly string[];
  readonly beats: Readonly<Record<string, number>>;
}

/** The dependencies of a queue. */
interface LinePorts {
  readonly store: LineStore;
  readonly key: string;
  readonly owner: string;
  readonly silentMs: number;
  readonly onEmpty: () => void;
}

/**
 * A session's queue, as seen by this process. The queue is stored as one value, which is updated with
 * compare-and-swap. Another process loses its tickets if its heartbeat counter does not change for `silentMs`
 * milliseconds, as measured by this process's clock.
 */
class Line {
  readonly #ports: LinePorts;
  readonly #owner: string;
  readonly #beatEvery: number; // The interval between heartbeats, in milliseconds.
  readonly #own = new Map<string, OwnTicket>();
  readonly #lastBeats = new Map<string, { beat: number; at: number }>();
  #known: Json | undefined;
  #lastLook = 0;
  #lastBeat = performance.now();
  #count = 0;
  #pauseMs = 1;
  #timer: NodeJS.Timeout | undefined;
  #settling: Promise<void> | undefined;
  #isChanged = false;
  #isUnsure = false; // Whether the store failed, so that it is unknown whether the last write succeeded.
  #isClosed = false;

  constructor(ports: LinePorts) {
    this.#ports = ports;
    this.#owner = ports.owner;
    this.#beatEvery = ports.silentMs / 5;
  }

  enter(signal: AbortSignal | undefined): Ticket {
    const id = `${this.#owner}.${++this.#count}`;
    const own: OwnTicket = {
      turn: Promise.withResolvers<undefined>(),
      lost: new AbortController(),
      isStored: false,
      isFirst: false,
    };
    // Prevent an unhandled rejection if the caller has stopped waiting.
    own.turn.promise.catch(() => undefined);
    this.#own.set(id, own);
    void this.#settle(false);
    const withdraw = (): void => {
      if (own.isFirst) return;
      own.turn.reject(signal?.reason);
      void leave();
    };
    const listening = onAbort(signal, withdraw);
    const leave = async (): Promise<void> => {
      listening[Symbol.dispose]();
      if (this.#own.delete(id)) await this.#settle(false);
    };
    if (signal?.aborted === true) withdraw();
    return { turn: own.turn.promise, lost: own.lost.signal, leave };
  }

  giveUp(reason: AgentError): Promise<void> {
    for (const { turn } of this.#own.values()) turn.reject(reason);
    this.#own.clear();
    this.#isClosed = true;
    return this.#settle(false);
  }

  /** Updates the stored queue. If anything changes in the meantime, updates it again. Never rejects. */
  #settle(mustLook: boolean): Promise<void> {
    this.#isChanged = true;
    return (this.#settling ??= this.#settleAll(mustLook));
  }

  async #settleAll(mustLook: boolean): Promise<void> {
    clearTimeout(this.#timer);
    let isStale = mustLook;
    try {
      while (this.#isChanged) {
        this.#isChanged = false;
        for (; !(await this.#tryUpdate(isStale)); isStale = true) await pause(1 + Math.random() * 5);
        isStale = this.#isUnsure = false;
      }
    } catch (thrown) {
      // All waiting turns reject with this error. The next poll tries to update the queue again.
      for (const [id, { turn, isFirst }] of this.#own) {
        if (isFirst) continue;
        turn.reject(thrown);
        this.#own.delete(id);
      }
    } finally {
      this.#settling = undefined;
      this.#schedule();
    }
  }

  /**
   * Updates the queue. After the first failure of the store, tries again, because the write may have
   * succeeded.
   */
  async #tryUpdate(isStale: boolean): Promise<boolean> {
    try {
      return await this.#update(isStale);
    } catch (thrown) {
      if (this.#isUnsure) throw thrown;
      this.#isUnsure = true;
      return false;
    }
  }

  /**
   * Writes the queue with this process's tickets. Resolves to false if another process has written it first.
   */
  async #update(isStale: boolean): Promise<boolean> {
    const { store, key } = this.#ports;
    if (isStale) this.#look(await store.get(turnLinesSpace, key));
    const next = this.#next();
    if (!isDeepStrictEqual(next, this.#known)) {
      if (!(await store.swap(turnLinesSpace, key, this.#known, next))) return false;
      const before = read(this.#known).beats[this.#owner];
      if (next?.beats[this.#owner] !== before) this.#lastBeat = performance.now();
      this.#known = next;
    }
    const tickets = new Set(next?.tickets);
    for (const [id, own] of this.#own) own.isStored ||= tickets.has(id);
    const first = this.#own.get(next?.tickets[0] ?? '');
    if (first !== undefined && !first.lost.signal.aborted) {
      first.isFirst = true;
      first.turn.resolve(undefined);
    }
    return true;
  }

  /** Processes a stored queue that other processes may have changed. */
  #look(stored: Json | undefined): void {
    const tickets = new Set(read(stored).tickets);
    for (const [id, own] of this.#own) {
      if (tickets.has(id) || !own.isStored) continue;
      own.isStored = false; // If the ticket is still waiting, it is added to the end of the queue again.
      if (own.isFirst) own.lost.abort(lost());
    }
    // The queue has changed, so poll again soon.
    if (!isDeepStrictEqual(stored, this.#known)) this.#pauseMs = 1;
    this.#known = stored;
    const now = performance.now();
    // After a long pause, the times of the other processes' last heartbeats are out of date.
    const wasAway = now - this.#lastLook > this.#ports.silentMs / 2;
    this.#lastLook = now;
    for (const [owner, beat] of Object.entries(read(stored).beats)) {
      const last = this.#lastBeats.get(owner);
      if (wasAway || last?.beat !== beat) this.#lastBeats.set(owner, { beat, at: now });
    }
  }

  /** Returns the queue with this process's tickets and without the tickets of silent processes. */
  #next(): StoredLine | undefined {
    const { tickets, beats } = read(this.#known);
    const now = performance.now();
    const isLooking = now - this.#lastLook < this.#ports.silentMs / 2;
    const isSilent = (owner: string): boolean =>
      isLooking && now - (this.#lastBeats.get(owner)?.at ?? now) > this.#ports.silentMs;
    const current = tickets.filter((id) => {
      const owner = ownerOf(id);
      return owner === this.#owner ? this.#own.has(id) : !isSilent(owner);
    });
    const known = new Set(current);
    const added = [...this.#own].filter(([id, own]) => !known.has(id) && !own.isFirst).map(([id]) => id);
    const all = [...current, ...added];
    if (all.length === 0) return undefined;
    const isDue = now - this.#lastBeat >= this.#beatEvery;
    const own = (beats[this.#owner] ?? 0) + (isDue ? 1 : 0);
    const owners = new Set(all.map(ownerOf));
    const entries = Object.entries({ ...beats, [this.#owner]: own }).filter(([owner]) => owners.has(owner));
    return { tickets: all, beats: Object.fromEntries(entries) };
  }

  /**
   * Schedules the next poll. The delay is short if a ticket is waiting, and longer for a heartbeat or after a
   * failure of the store.
   */
  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    if ([...this.#own.values()].some(({ isFirst }) => !isFirst)) {
      this.#pauseMs = Math.min(this.#pauseMs * 2, longestPause, this.#beatEvery);
      this.#timer = setTimeout(() => void this.#settle(true), this.#pauseMs);
    } else if (this.#own.size > 0 || this.#isUnsure) {
      this.#timer = setTimeout(() => void this.#settle(this.#isUnsure), this.#beatEvery);
      this.#timer.unref();
    } else this.#ports.onEmpty();
  }
}

function ownerOf(id: string): string {
  return id.slice(0, id.indexOf('.'));
}

/** Reads a stored queue. An invalid value is treated as an empty queue. */
function read(stored: Json | undefined): StoredLine {
  const { tickets, beats } = isJsonObject(stored) ? stored : {};
  if (!Array.isArray(tickets) || !isJsonObject(beats)) return { tickets: [], beats: {} };
  return { tickets, beats } as unknown as StoredLine;
}

function closed(): AgentError {
  return new AgentError('usage.bad-input', 'The agent was shut down.', { hint: 'Create a new one.' });
}

function lost(): AgentError {
  return new AgentError('internal.claim-lost', 'Another process took over the turn of the session.');
}
