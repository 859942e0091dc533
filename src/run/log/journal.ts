import {
  eventVersion,
  type Entry,
  type Epoch,
  type EventBody,
  type Held,
  type NewEvent,
  type RunEvent,
  type Store,
} from '../../core/index.ts';
import { RunState } from './run-state.ts';

/** Hears of every event once it is kept, and of the passing ones that are not. */
export type Listener = (event: RunEvent) => void;

/** An event to be added, about a frame or, with an empty id, about the run. */
export interface Addition {
  readonly frameId: string;
  readonly body: EventBody;
}

interface Queued {
  readonly events: readonly NewEvent[];
  readonly entries: readonly Entry[];
  readonly done: (last: number) => void;
}

const mostTogether = 32; // additions; each may be large

/** The log of one run while one process works on it: what it says so far, and the only way to add to it. */
export class Journal {
  readonly runId: string;
  readonly epoch: Epoch;
  readonly state = new RunState();
  /** All events so far, in order. */
  readonly events: RunEvent[] = [];
  readonly #store: Store;
  readonly #now: () => number;
  readonly #onBroken: (thrown: unknown) => void;
  readonly #listeners = new Set<Listener>();
  #queue: Queued[] = [];
  #lead: EventBody | undefined;
  #isUntouched = true;
  #isWriting = false;
  #written: Promise<void> = Promise.resolve();
  #isClosed = false;

  private constructor(
    runId: string,
    epoch: Epoch,
    { store, now, onBroken }: Pick<JournalOptions, 'store' | 'now' | 'onBroken'>,
  ) {
    this.runId = runId;
    this.epoch = epoch;
    this.#store = store;
    this.#now = now;
    this.#onBroken = onBroken;
  }

  /** Claims a run and reads what is known of it; whoever worked on it before cannot write any more. */
  static async open(runId: string, options: JournalOptions): Promise<Journal> {
    const epoch = await options.store.claim(runId, options.owner, options.held);
    const journal = new Journal(runId, epoch, options);
    for await (const event of options.store.read(runId)) journal.#take(event);
    return journal;
  }

  /** Adds an event; resolves with its place when it is kept. After the journal is closed or broken it never resolves: nothing goes on. */
  add(frameId: string, body: EventBody, entries: readonly Entry[] = []): Promise<number> {
    return this.addAll([{ frameId, body }], entries);
  }

  /** Adds several events at once, all or nothing; resolves with the place of the last. */
  addAll(bodies: readonly Addition[], entries: readonly Entry[] = []): Promise<number> {
    const at = this.#now();
    const events = bodies.map(({ frameId, body }): NewEvent => ({ ...body, frameId, at }));
    return new Promise((done) => {
      if (this.#isClosed) return;
      if (this.#lead !== undefined) events.unshift({ ...this.#lead, frameId: '', at });
      this.#lead = undefined;
      this.#isUntouched = false;
      this.#queue.push({ events, entries, done });
      if (!this.#isWriting) this.#written = this.#write();
    });
  }

  /** Says something before the first event that is added, if one is. */
  lead(body: EventBody): void {
    this.#lead = body;
  }

  /** Whether this process added nothing. */
  get isUntouched(): boolean {
    return this.#isUntouched;
  }

  /** Whether the run neither ended nor waits; resolves when nothing is on its way to the store. */
  async isUnfinished(): Promise<boolean> {
    await this.#written;
    return !this.state.isEnded && this.events.at(-1)?.type !== 'run.waiting';
  }

  /** Tells listeners of something that is not kept. */
  pass(frameId: string, body: EventBody): void {
    if (this.#isClosed || this.#listeners.size === 0) return;
    this.#tell({ ...body, v: eventVersion, runId: this.runId, frameId, seq: 0, at: this.#now() });
  }

  /** Calls the listener with every later event until the returned function is called. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes nothing more; what was given before is still written. */
  close(): void {
    this.#isClosed = true;
  }

  /** What is given while a write is under way is written together with the next one. */
  async #write(): Promise<void> {
    this.#isWriting = true;
    try {
      while (this.#queue.length > 0) {
        const taken = this.#queue.splice(0, mostTogether);
        await this.#append(taken);
      }
    } catch (thrown) {
      this.#isClosed = true;
      this.#queue = [];
      this.#onBroken(thrown);
    } finally {
      this.#isWriting = false;
    }
  }

  async #append(taken: readonly Queued[]): Promise<void> {
    const events = taken.flatMap((one) => one.events);
    const entries = taken.flatMap((one) => one.entries);
    const last = await this.#store.append(this.runId, this.epoch, events, entries);
    const first = last - events.length + 1;
    events.forEach((event, index) => {
      this.#take({ ...event, v: eventVersion, runId: this.runId, seq: first + index });
    });
    let place = first - 1;
    for (const { events: own, done } of taken) done((place += own.length));
  }

  #take(event: RunEvent): void {
    this.events.push(event);
    this.state.add(event);
    this.#tell(event);
  }

  #tell(event: RunEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

/** What a journal writes to, and whom it tells when it cannot. */
interface JournalOptions {
  readonly store: Store;
  readonly owner: string;
  /** The claim is taken only from whoever holds this one, and wrote no more. */
  readonly held?: Held | undefined;
  readonly now: () => number;
  /** Called once, when the claim is lost or the store fails. */
  readonly onBroken: (thrown: unknown) => void;
}

/**
 * The order in which a program learns what things came to: that of the log, one at a time, in the first process and in
 * every later one. Branches that run at the same time then meet in the same order again.
 */
export class Turns {
  readonly #due: { readonly seq: number; readonly give: () => void }[] = [];
  #new: (() => void)[] = [];
  #isLive: boolean;
  #isAwake = false;

  /** Without a log to follow, everything may begin at once. */
  constructor(isNew: boolean) {
    this.#isLive = isNew;
  }

  /** Resolves when it is the turn of the event at this place. */
  inTurn(seq: number): Promise<void> {
    return new Promise((give) => {
      const place = this.#due.findLastIndex((other) => other.seq < seq) + 1;
      this.#due.splice(place, 0, { seq, give });
      this.#wake();
    });
  }

  /** Resolves when something new may begin: after everything that the log knows, and that was asked for, was given. */
  mayBegin(): Promise<void> {
    if (this.#isLive) return Promise.resolve();
    return new Promise((begin) => {
      this.#new.push(begin);
      this.#wake();
    });
  }

  /** All that a program does at once, after something was given, comes before the next turn. */
  #wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    setImmediate(() => {
      this.#isAwake = false;
      const next = this.#due.shift();
      if (next === undefined) this.#beginNew();
      else next.give();
      if (this.#due.length + this.#new.length > 0) this.#wake();
    });
  }

  #beginNew(): void {
    const begun = this.#new;
    this.#new = [];
    this.#isLive ||= begun.length > 0;
    for (const begin of begun) begin();
  }
}
