/** By term: the skills that hold it, and how strongly, side by side so that scoring reads memory in order. */
export class Postings {
  readonly #start: Uint32Array;
  readonly #slots: Uint32Array;
  readonly #impacts: Float32Array;

  constructor(start: Uint32Array, slots: Uint32Array, impacts: Float32Array) {
    this.#start = start;
    this.#slots = slots;
    this.#impacts = impacts;
  }

  /** In how many skills a term stands. */
  frequencyOf(id: number): number {
    return (this.#start[id + 1] ?? 0) - (this.#start[id] ?? 0);
  }

  /** Adds to the score of each skill that holds a term what finding it there is worth. */
  addTo(scores: Float64Array, id: number, worth: number): void {
    const [slots, impacts, end] = [this.#slots, this.#impacts, this.#start[id + 1] ?? 0];
    for (let at = this.#start[id] ?? 0; at < end; at++) {
      const slot = slots[at] ?? 0;
      scores[slot] = (scores[slot] ?? 0) + worth * (impacts[at] ?? 0);
    }
  }
}

/** The terms of skills, slot by slot. */
export interface Holdings {
  /** How many different terms there may be. */
  readonly terms: number;
  readonly slots: number;
  has(slot: number): boolean;
  eachTerm(slot: number, visit: (id: number, counts: number) => void): void;
}

/** Turns the terms of each skill into the skills of each term. */
export function buildPostings(
  holdings: Holdings,
  impact: (slot: number, counts: number) => number,
): Postings {
  const { terms } = holdings;
  const held = Array.from({ length: holdings.slots }, (_, slot) => slot).filter((slot) => holdings.has(slot));
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
  return new Postings(start, slots, impacts);
}
