import { settlesWithin, silentAfter, type Actor, type Epoch, type Store } from '../../core/index.ts';

/** A run that this process is working on. */
export interface Worked {
  readonly runId: string;
  /** The current claim. Undefined while it is being renewed. */
  readonly epoch: Epoch | undefined;
  /** Settles when this process no longer works on the run. */
  readonly stopped: Promise<unknown>;
  /**
   * Releases the run after the given error or, without an error, because another process has taken over the
   * run.
   */
  lose(thrown?: unknown): void;
  /** Checks for answers that other processes have stored. */
  collectAnswers(): Promise<void>;
  /**
   * Stops the run permanently. Resolves to false if it cannot be stopped, for example because it is
   * suspended.
   */
  cancel(reason?: string, actor?: Actor): Promise<boolean>;
}

/** The log of a run that this process has released. */
interface ReleasedLog {
  readonly runId: string;
  readonly epoch: Epoch | undefined;
  /** Waits for all pending writes. Resolves to true if the run is neither finished nor waiting. */
  isUnfinished(): Promise<boolean>;
}

// The interval between heartbeats, in milliseconds. After a claim is lost, all work must stop within a
// second.
const beatEvery = 400;

/** The runs that this process is working on, and the heartbeat that renews their claims. */
export class Live {
  readonly #store: Store;
  readonly #runs = new Map<string, Worked>();
  readonly #opening = new Map<string, Promise<unknown>>();
  readonly #released = new Set<ReleasedLog>();
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> | undefined;
  #isCollecting = false;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Returns the run if this process is working on it. Waits until a pending claim is complete. */
  async find(runId: string): Promise<Worked | undefined> {
    await this.#opening.get(runId);
    return this.#runs.get(runId);
  }

  /** Resolves when no run is being worked on or claimed. */
  async idle(): Promise<void> {
    while (this.#opening.size + this.#runs.size > 0) {
      await Promise.all(this.#opening.values());
      await Promise.all([...this.#runs.values()].map(({ stopped }) => stopped));
    }
  }

  /** Claims a run and starts tracking it. */
  async open<Run extends Worked>(runId: string, claim: () => Promise<Run>): Promise<Run> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#opening.set(runId, promise);
    try {
      const run = await claim();
      // The new claim ends any earlier work on the run in this process.
      this.#runs.get(runId)?.lose();
      this.#runs.set(runId, run);
      this.#timer ??= setInterval(this.#beatInTurn, beatEvery);
      return run;
    } finally {
      if (this.#opening.get(runId) === promise) this.#opening.delete(runId);
      resolve(undefined);
    }
  }

  delete(run: Worked): void {
    if (this.#runs.get(run.runId) === run) this.#runs.delete(run.runId);
    if (this.#runs.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Records the log of a released run, so that the claim can be released as well. */
  addReleased(log: ReleasedLog): void {
    this.#released.add(log);
  }

  /** Releases the claims of unfinished runs once all their events are written. Never rejects. */
  async release(log?: ReleasedLog): Promise<void> {
    if (log !== undefined) this.addReleased(log);
    // Stop waiting when the claims would expire without a heartbeat.
    await settlesWithin(silentAfter, this.#release());
  }

  async #release(): Promise<void> {
    try {
      const claims = new Map<string, Epoch>();
      const released = [...this.#released];
      for (const log of released)
        if ((await log.isUnfinished()) && log.epoch !== undefined) claims.set(log.runId, log.epoch);
      // Wait for the heartbeat in progress, because it could deadlock with the release in a database.
      await this.#beating;
      if (claims.size > 0) await this.#store.release(claims);
      for (const log of released) this.#released.delete(log);
    } catch {
      // The runs are shown as interrupted once this process has been silent for long enough.
    }
  }

  /** Sends one heartbeat at a time, even if the store is slow. */
  readonly #beatInTurn = (): void => {
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = undefined;
    });
  };

  /**
   * Sends a heartbeat for all runs, and releases those that other processes took over. Nothing else may delay
   * the heartbeat.
   */
  async #beat(): Promise<void> {
    const runs = [...this.#runs.values()];
    const claims = new Map<string, Epoch>();
    for (const { runId, epoch } of runs) if (epoch !== undefined) claims.set(runId, epoch);
    try {
      const lost = await this.#store.beat(claims);
      // A claim that was renewed in the meantime is not lost.
      for (const run of runs) if (lost.has(run.runId) && claims.get(run.runId) === run.epoch) run.lose();
    } catch {
      // If the store keeps failing, the next append fails as well, and the run is released then.
    }
    void this.#collect(runs);
  }

  /** Checks for answers from other processes, one run after another. */
  async #collect(runs: readonly Worked[]): Promise<void> {
    if (this.#isCollecting) return;
    this.#isCollecting = true;
    try {
      for (const run of runs) await run.collectAnswers();
    } catch {
      // Either the process that stored the answer finds that the run is waiting, or the next check finds the
      // answer.
    } finally {
      this.#isCollecting = false;
    }
  }
}
