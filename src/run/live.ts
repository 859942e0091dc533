import type { Epoch, Store } from '../core/store.ts';

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
  /** Stops it for good. */
  cancel(reason?: string): Promise<void>;
}

const beatEvery = 400; // milliseconds, so that a lost claim stops everything within a second

/** The runs that this process works on, and the beat that says so. */
export class Live {
  readonly #store: Store;
  readonly #runs = new Map<string, Worked>();
  #timer: NodeJS.Timeout | undefined;
  #isBeating = false;

  constructor(store: Store) {
    this.#store = store;
  }

  /** A run, if this process works on it. */
  get(runId: string): Worked | undefined {
    return this.#runs.get(runId);
  }

  /** All of them. */
  get all(): readonly Worked[] {
    return [...this.#runs.values()];
  }

  add(run: Worked): void {
    this.#runs.get(run.runId)?.lose(); // no beat would tell it
    this.#runs.set(run.runId, run);
    this.#timer ??= setInterval(() => void this.#beat(), beatEvery);
  }

  delete(run: Worked): void {
    if (this.#runs.get(run.runId) === run) this.#runs.delete(run.runId);
    if (this.#runs.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Learns what others did: took a run over, or answered a question. */
  async #beat(): Promise<void> {
    if (this.#isBeating) return; // a slow store gets one beat at a time
    this.#isBeating = true;
    const runs = this.all;
    const claims = new Map(runs.map(({ runId, epoch }) => [runId, epoch]));
    try {
      const lost = await this.#store.beat(claims);
      for (const run of runs) {
        if (lost.has(run.runId)) run.lose();
        else await run.collectAnswers();
      }
    } catch {
      // A store that fails now fails the next append as well, which is where a run learns of it.
    } finally {
      this.#isBeating = false;
    }
  }
}
