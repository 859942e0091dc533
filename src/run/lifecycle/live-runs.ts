import { settlesWithin, silentAfter, type Epoch, type Store } from '../../core/index.ts';

/** One run that this process works on. */
export interface Worked {
  readonly runId: string;
  readonly epoch: Epoch;
  /** Settles when this process works on it no longer. */
  readonly stopped: Promise<unknown>;
  /** Lets go of it; without a reason because another process took it over. */
  lose(thrown?: unknown): void;
  /** Looks for answers that others have given. */
  collectAnswers(): Promise<void>;
  /** Stops it for good; tells whether it could, which it cannot any more once the run is laid down to wait. */
  cancel(reason?: string): Promise<boolean>;
}

/** The log of a run that this process let go of. */
interface Left {
  readonly runId: string;
  readonly epoch: Epoch;
  /** Whether the run neither ended nor waits; resolves when nothing is on its way to the store. */
  isUnfinished(): Promise<boolean>;
}

const beatEvery = 400; // milliseconds, so that a lost claim stops everything within a second

/** The runs that this process works on, and the beat that says so. */
export class Live {
  readonly #store: Store;
  readonly #runs = new Map<string, Worked>();
  readonly #opening = new Map<string, Promise<unknown>>();
  readonly #left = new Set<Left>();
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> | undefined;
  #isCollecting = false;

  constructor(store: Store) {
    this.#store = store;
  }

  /** A run, if this process works on it; one that is being claimed is waited for. */
  async find(runId: string): Promise<Worked | undefined> {
    await this.#opening.get(runId);
    return this.#runs.get(runId);
  }

  /** Resolves when none is worked on and none is being claimed. */
  async idle(): Promise<void> {
    while (this.#opening.size + this.#runs.size > 0) {
      await Promise.all(this.#opening.values());
      await Promise.all([...this.#runs.values()].map(({ stopped }) => stopped));
    }
  }

  /** Claims a run and takes it up. */
  async open<Run extends Worked>(runId: string, claim: () => Promise<Run>): Promise<Run> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#opening.set(runId, promise);
    try {
      const run = await claim();
      this.#runs.get(runId)?.lose(); // whoever worked on it here has lost it to the new claim
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

  /** Notes a run that is let go of for whoever wants to go on with it. */
  leave(log: Left): void {
    this.#left.add(log);
  }

  /** Gives back the claims of what was left in the middle, once all of it is written; never rejects. */
  async release(): Promise<void> {
    await settlesWithin(silentAfter, this.#release()); // after that the silence of this process says the same
  }

  async #release(): Promise<void> {
    try {
      const claims = new Map<string, Epoch>();
      for (const log of this.#left) if (await log.isUnfinished()) claims.set(log.runId, log.epoch);
      await this.#beating; // in a database the two could lock each other out
      if (claims.size > 0) await this.#store.release(claims);
    } catch {
      // The runs are shown as interrupted when this process was silent for long enough.
    }
  }

  /** A slow store gets one beat at a time. */
  readonly #beatInTurn = (): void => {
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = undefined;
    });
  };

  /** Says which runs are worked on, and learns which of them others took over; nothing else may delay it. */
  async #beat(): Promise<void> {
    const runs = [...this.#runs.values()];
    const claims = new Map(runs.map(({ runId, epoch }) => [runId, epoch]));
    try {
      const lost = await this.#store.beat(claims);
      for (const run of runs) if (lost.has(run.runId)) run.lose();
    } catch {
      // A store that fails now fails the next append as well, which is where a run learns of it.
    }
    void this.#collect(runs);
  }

  /** Looks for answers that other processes left, one run after another. */
  async #collect(runs: readonly Worked[]): Promise<void> {
    if (this.#isCollecting) return;
    this.#isCollecting = true;
    try {
      for (const run of runs) await run.collectAnswers();
    } catch {
      // Whoever answered finds the run waiting, or the next look finds the answer.
    } finally {
      this.#isCollecting = false;
    }
  }
}
