/**
 * Delivers outcomes to a program one at a time, in log order. Parallel branches therefore interleave in the
 * same order on every replay.
 */
export class Turns {
  readonly #due: { readonly seq: number; readonly give: () => void }[] = [];
  #new: (() => void)[] = [];
  #isLive: boolean;
  #isAwake = false;

  /** If `isNew` is true, there is no log to replay, so all work can begin immediately. */
  constructor(isNew: boolean) {
    this.#isLive = isNew;
  }

  /** Resolves when the event with this sequence number is next in order. */
  inTurn(seq: number): Promise<void> {
    return new Promise((give) => {
      const index = this.#due.findLastIndex((other) => other.seq < seq) + 1;
      this.#due.splice(index, 0, { seq, give });
      this.#wake();
    });
  }

  /**
   * Resolves when new work may begin: once all requested outcomes that are in the log have been delivered.
   */
  mayBegin(): Promise<void> {
    if (this.#isLive) return Promise.resolve();
    return new Promise((begin) => {
      this.#new.push(begin);
      this.#wake();
    });
  }

  /** Delivers the next outcome after all synchronous work that the previous outcome caused. */
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
