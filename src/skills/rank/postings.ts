import type { StoredIndex } from './stored/stored-index.ts';

/** A list of integers below 2³² that can grow. Each integer takes four bytes. */
export class NumberList {
  #values = new Uint32Array(16);
  #length = 0;

  /** The number of values. */
  get length(): number {
    return this.#length;
  }

  /** Returns the value at an index, or 0 if there is none. */
  at(index: number): number {
    return this.#values[index] ?? 0;
  }

  /** Returns a copy of the values from one index up to another. */
  slice(start: number, end: number): Uint32Array {
    return this.#values.slice(start, end);
  }

  /** Appends a value. */
  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Uint32Array(this.#length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length++] = value;
  }
}

/**
 * The skills that contain each term, with the term's impact in each skill. The data is contiguous, so memory
 * is read sequentially.
 */
export class Postings {
  readonly #start: Uint32Array;
  readonly #slots: Uint32Array;
  readonly #impacts: Float32Array;
  readonly #base: Base | undefined;

  constructor(start: Uint32Array, slots: Uint32Array, impacts: Float32Array, base?: Base) {
    this.#start = start;
    this.#slots = slots;
    this.#impacts = impacts;
    this.#base = base;
  }

  /** Returns the number of skills that contain a term. */
  frequencyOf(id: number): number {
    const stored =
      this.#base === undefined ? 0 : this.#base.stored.frequencyOf(id) - (this.#base.gone.get(id) ?? 0);
    return stored + (this.#start[id + 1] ?? 0) - (this.#start[id] ?? 0);
  }

  /**
   * Adds the value of a term, multiplied by its impact, to the score of each skill that contains the term.
   */
  addTo(scores: Float64Array, id: number, worth: number): void {
    if (this.#base !== undefined && this.#base.stored.frequencyOf(id) > 0) {
      const { stored, removed } = this.#base;
      const { slots, impacts } = stored.postingsOf(id);
      for (let at = 0; at < slots.length; at++) {
        const slot = slots[at] ?? 0;
        if (removed.size > 0 && removed.has(slot)) continue;
        scores[slot] = (scores[slot] ?? 0) + worth * (impacts[at] ?? 0);
      }
    }
    const [slots, impacts, end] = [this.#slots, this.#impacts, this.#start[id + 1] ?? 0];
    for (let at = this.#start[id] ?? 0; at < end; at++) {
      const slot = slots[at] ?? 0;
      scores[slot] = (scores[slot] ?? 0) + worth * (impacts[at] ?? 0);
    }
  }
}

/** The skills of an earlier index, which are not copied. Their slots and terms have the lowest numbers. */
export interface Base {
  readonly stored: StoredIndex;
  readonly removed: ReadonlySet<number>;
  /** The number of removed skills with each term. */
  readonly gone: ReadonlyMap<number, number>;
}

/** The terms of each skill, keyed by slot. */
export interface Holdings {
  /** An upper bound on the number of different terms. */
  readonly terms: number;
  readonly slots: number;
  has(slot: number): boolean;
  eachTerm(slot: number, visit: (id: number, counts: number) => void): void;
}

/** Converts lists of the terms in each skill to lists of the skills with each term. */
export function buildPostings(
  holdings: Holdings,
  impact: (slot: number, counts: number) => number,
  base: Base | undefined,
): Postings {
  const { terms } = holdings;
  const first = base?.stored.slots ?? 0;
  const held = Array.from({ length: holdings.slots - first }, (_, index) => first + index).filter((slot) =>
    holdings.has(slot),
  );
  const start = new Uint32Array(terms + 1);
  for (const slot of held) holdings.eachTerm(slot, (id) => (start[id + 1] = (start[id + 1] ?? 0) + 1));
  for (let id = 0; id < terms; id++) start[id + 1] = (start[id + 1] ?? 0) + (start[id] ?? 0);
  const next = start.slice();
  const slots = new Uint32Array(start[terms] ?? 0);
  const impacts = new Float32Array(slots.length);
  for (const slot of held) {
    holdings.eachTerm(slot, (id, counts) => {
      const at = next[id] ?? 0;
      next[id] = at + 1;
      slots[at] = slot;
      impacts[at] = impact(slot, counts);
    });
  }
  return new Postings(start, slots, impacts, base);
}
