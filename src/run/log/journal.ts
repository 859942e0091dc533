import {
  eventVersion,
  toErrorData,
  type StoreEntry,
  type Epoch,
  type EventBody,
  type Held,
  type NewEvent,
  type RunEvent,
  type Store,
} from '../../core/index.ts';
import { interruptedBy, isStoreFailure } from '../lifecycle/stop.ts';
import { RunState } from './run-state.ts';

/**
 * A function that receives every event after it is stored, as well as transient events, which are never
 * stored.
 */
export type Listener = (event: RunEvent) => void;

/** An event to add to a frame. If the frame id is empty, the event is added to the run itself. */
export interface Addition {
  readonly frameId: string;
  readonly body: EventBody;
}

interface Queued {
  readonly events: readonly NewEvent[];
  /** Whether the state contains the events already. */
  readonly isKnown?: true;
  readonly entries: readonly StoreEntry[];
  readonly done: (last: number) => void;
  readonly conflict: (thrown: unknown) => void;
}

const maxConcurrent = 32; // The maximum number of events per write. Each event can be large.

/**
 * The log of a run that a process works on, with all events so far. The journal is the only way to add
 * events.
 */
export class Journal {
  readonly runId: string;
  readonly state = new RunState();
  /** All events so far, in order. */
  readonly events: RunEvent[] = [];
  readonly #store: Store;
  readonly #owner: string;
  readonly #now: () => number;
  readonly #onBroken: (thrown: unknown) => void;
  readonly #listeners = new Set<Listener>();
  #epoch: Epoch;
  #isRenewing = false;
  #queue: Queued[] = [];
  #lead: EventBody | undefined;
  #isUntouched = true;
  #isWriting = false;
  #written: Promise<void> = Promise.resolve();
  #isClosed = false;
  /** Events that are in the state but not in the store. They are written before all queued events. */
  #held: NewEvent[] = [];
  #holding: NodeJS.Immediate | undefined;
  /** Transient events that must not overtake held events. */
  #passing: RunEvent[] = [];

  private constructor(
    runId: string,
    epoch: Epoch,
    { store, owner, now, onBroken }: Omit<JournalOptions, 'held'>,
  ) {
    this.runId = runId;
    this.#epoch = epoch;
    this.#store = store;
    this.#owner = owner;
    this.#now = now;
    this.#onBroken = onBroken;
  }

  /** Claims a run and reads its log. The previous owner can then no longer write. */
  static async open(runId: string, options: JournalOptions): Promise<Journal> {
    try {
      const epoch = await options.store.claim(runId, options.owner, options.held);
      const journal = new Journal(runId, epoch, options);
      for await (const event of options.store.read(runId)) journal.#take(event);
      return journal;
    } catch (thrown) {
      throw interruptedBy(runId, thrown);
    }
  }

  /**
   * Adds an event and resolves to its sequence number once it is stored. Never resolves once the journal is
   * closed or broken. Rejects with `skill.conflict`, and adds nothing, if an entry's value is not the
   * expected one.
   */
  add(frameId: string, body: EventBody, entries: readonly StoreEntry[] = []): Promise<number> {
    return this.addAll([{ frameId, body }], entries);
  }

  /** Adds several events atomically. Resolves to the sequence number of the last event. */
  addAll(bodies: readonly Addition[], entries: readonly StoreEntry[] = []): Promise<number> {
    const at = this.#now();
    const events = bodies.map(({ frameId, body }): NewEvent => ({ ...body, frameId, at }));
    return new Promise((done, conflict) => {
      if (this.#isClosed) return;
      this.#queueHeld();
      this.#queue.push({ events: this.#withLead(events, at), entries, done, conflict });
      if (!this.#isWriting) this.#written = this.#write();
    });
  }

  /**
   * Adds the start of work that may be repeated after a crash. The work can begin as soon as the promise
   * resolves. The event is written with the next event or, if that takes longer, in the next turn of the event
   * loop.
   */
  async addStart(frameId: string, body: EventBody): Promise<void> {
    // The state must get its events in the order of the log.
    if (this.#isWriting || this.#queue.length > 0) await this.add(frameId, body);
    else if (!this.#isClosed) this.#hold({ ...body, frameId, at: this.#now() });
    else await new Promise(() => undefined);
  }

  #hold(event: NewEvent): void {
    const first = (this.events.at(-1)?.seq ?? 0) + this.#held.length + 1;
    const added = this.#withLead([event], event.at);
    for (const [index, one] of added.entries()) this.state.add(this.#stored(one, first + index));
    this.#held.push(...added);
    this.#holding ??= setImmediate(() => {
      this.#holding = undefined;
      this.#writeHeld();
    });
  }

  /** Adds the leading event, if there is one. */
  #withLead(events: NewEvent[], at: number): NewEvent[] {
    if (this.#lead !== undefined) events.unshift({ ...this.#lead, frameId: '', at });
    this.#lead = undefined;
    this.#isUntouched = false;
    return events;
  }

  #queueHeld(): void {
    if (this.#held.length === 0) return;
    const events = this.#held;
    this.#held = [];
    this.#queue.push({ events, isKnown: true, entries: [], done: () => {}, conflict: () => {} });
  }

  #writeHeld(): void {
    this.#queueHeld();
    if (this.#queue.length > 0 && !this.#isWriting) this.#written = this.#write();
  }

  /** The current claim. Undefined while it is being renewed after a store failure. */
  get epoch(): Epoch | undefined {
    return this.#isRenewing ? undefined : this.#epoch;
  }

  /**
   * Sets an event that is written together with the next event and directly before it. If no event follows,
   * it is never written.
   */
  lead(body: EventBody): void {
    this.#lead = body;
  }

  /** Whether this process has not yet added any events. */
  get isUntouched(): boolean {
    return this.#isUntouched;
  }

  /** Waits for all pending writes. Resolves to true if the run is neither finished nor waiting. */
  async isUnfinished(): Promise<boolean> {
    this.#writeHeld();
    await this.#written;
    return !this.state.isEnded && this.events.at(-1)?.type !== 'run.waiting';
  }

  /** Sends an event to listeners without storing it. */
  pass(frameId: string, body: EventBody): void {
    if (this.#isClosed || this.#listeners.size === 0) return;
    const event = this.#stored({ ...body, frameId, at: this.#now() }, 0);
    this.#writeHeld();
    if (this.#isWriting) this.#passing.push(event);
    else this.#notify(event);
  }

  /** Calls the listener for every later event until the returned function is called. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Stops accepting events. Events that were already added are still written. */
  close(): void {
    this.#writeHeld();
    clearImmediate(this.#holding);
    this.#isClosed = true;
  }

  /** Writes events in batches. Events added during a write are part of the next batch. */
  async #write(): Promise<void> {
    this.#isWriting = true;
    try {
      while (this.#queue.length > 0) {
        // Events that may conflict with other writers are written separately.
        const alone = this.#queue.findIndex(mayConflict);
        const taken = this.#queue.splice(0, alone < 0 ? maxConcurrent : Math.min(alone || 1, maxConcurrent));
        await this.#append(taken).catch((thrown: unknown) => {
          const [only] = taken;
          if (toErrorData(thrown).code !== 'skill.conflict' || only === undefined) throw thrown;
          only.conflict(thrown);
        });
        this.#notifyPassing();
      }
    } catch (thrown) {
      this.#isClosed = true;
      this.#queue = [];
      this.#held = [];
      this.#onBroken(thrown);
    } finally {
      this.#isWriting = false;
    }
  }

  #notifyPassing(): void {
    const passing = this.#passing;
    this.#passing = [];
    for (const event of passing) this.#notify(event);
  }

  async #append(taken: readonly Queued[]): Promise<void> {
    const events = taken.flatMap((one) => one.events);
    const entries = taken.flatMap((one) => one.entries);
    const append = (): Promise<number> => this.#store.append(this.runId, this.#epoch, events, entries);
    const last = await append().catch(async (thrown: unknown) => {
      if (!isStoreFailure(thrown)) throw thrown;
      return (await this.#recover(events.length)) ?? append();
    });
    const first = last - events.length + 1;
    let seq = first - 1;
    for (const { events: own, isKnown } of taken)
      for (const event of own) this.#take(this.#stored(event, (seq += 1)), isKnown);
    seq = first - 1;
    for (const { events: own, done } of taken) done((seq += own.length));
  }

  #stored(event: NewEvent, seq: number): RunEvent {
    return { ...event, v: eventVersion, runId: this.runId, seq };
  }

  /**
   * Returns the last sequence number if the store added these events even though the append failed.
   * Otherwise, renews the claim, so that a delayed write of the failed append has no effect.
   */
  async #recover(count: number): Promise<number | undefined> {
    const seq = this.events.at(-1)?.seq ?? 0;
    const [run] = await this.#store.runs({ ids: [this.runId] });
    if (run?.epoch === this.#epoch && run.seq === seq + count) return run.seq;
    this.#isRenewing = true;
    try {
      this.#epoch = await this.#store.claim(this.runId, this.#owner, { epoch: this.#epoch, seq });
      return undefined;
    } finally {
      this.#isRenewing = false;
    }
  }

  #take(event: RunEvent, isKnown = false): void {
    this.events.push(event);
    if (!isKnown) this.state.add(event);
    this.#notify(event);
  }

  #notify(event: RunEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

function mayConflict({ entries }: Queued): boolean {
  return entries.some(({ expected }) => expected !== undefined);
}

/** Options for opening a journal. */
interface JournalOptions {
  readonly store: Store;
  readonly owner: string;
  /**
   * The claim that the run is expected to have. If the run has a different claim or newer events, it is not
   * claimed.
   */
  readonly held?: Held | undefined;
  readonly now: () => number;
  /** Called once when the claim is lost or the store fails. */
  readonly onBroken: (thrown: unknown) => void;
}
