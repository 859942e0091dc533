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
