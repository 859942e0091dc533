import { impactOf } from './lexical.ts';
import type { TermIndex } from './term-index.ts';

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

/** Turns the terms of each skill into the skills of each term. */
export function buildPostings(index: TermIndex): Postings {
  const start = new Uint32Array(index.terms + 1);
  const slots = Array.from({ length: index.slots }, (_, slot) => slot).filter((slot) => index.has(slot));
  for (const slot of slots) index.eachTerm(slot, (id) => (start[id + 1] = (start[id + 1] ?? 0) + 1));
  for (let id = 0; id < index.terms; id++) start[id + 1] = (start[id + 1] ?? 0) + (start[id] ?? 0);
  const next = start.slice();
  const found = new Uint32Array(start[index.terms] ?? 0);
  const impacts = new Float32Array(found.length);
  const impact = impactOf(index);
  for (const slot of slots) {
    index.eachTerm(slot, (id, counts) => {
      const at = next[id] ?? 0;
      next[id] = at + 1;
      found[at] = slot;
      impacts[at] = impact(slot, counts);
    });
  }
  return new Postings(start, found, impacts);
}
