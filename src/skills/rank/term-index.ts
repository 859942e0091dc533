import { commonTerms } from './common-terms.ts';
import { fields, impactOf, increased, type RankField, type FieldTerms, type Lengths } from './fields.ts';

/** A growing list of whole numbers below 2³², four bytes each. */
class Column {
  #values = new Uint32Array(16);
  #length = 0;

  /** How many numbers are in it. */
  get length(): number {
    return this.#length;
  }

  /** The number at a position; 0 past the end. */
  at(index: number): number {
    return this.#values[index] ?? 0;
  }

  /** Adds a number at the end. */
  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Uint32Array(this.#length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length++] = value;
  }
}

/** By term: the skills that hold it, and how strongly, side by side so that scoring reads memory in order. */
class Postings {
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
interface Holdings {
  /** How many different terms there may be. */
  readonly terms: number;
  readonly slots: number;
  has(slot: number): boolean;
  eachTerm(slot: number, visit: (id: number, counts: number) => void): void;
}

/** Turns the terms of each skill into the skills of each term. */
function buildPostings(holdings: Holdings, impact: (slot: number, counts: number) => number): Postings {
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

const usualSkills = 200;

/** Which terms stand where, in flat columns: ten thousand skills are a few arrays and one map. */
export class TermIndex implements Lengths, Holdings {
  readonly #ids = new Map<string, number>();
  /** By term: in which part of skills in general it stands. */
  readonly #shares: number[] = [];
  // The terms of the skills, one skill behind the other, with their packed counts.
  readonly #terms = new Column();
  readonly #counts = new Column();
  // By slot: where its terms start, and how long its parts are.
  readonly #start = new Column();
  readonly #lengths = fields.map(() => new Column());
  readonly #removed = new Set<number>();
  #postings: Postings | undefined;

  /** How many skills are in it. */
  get size(): number {
    return this.slots - this.#removed.size;
  }

  /** One more than the highest slot ever given. */
  get slots(): number {
    return this.#start.length;
  }

  /** How many different terms were ever in it. */
  get terms(): number {
    return this.#ids.size;
  }

  /** Whether so much was removed that a new index would be half as large. */
  get isWorn(): boolean {
    return this.#removed.size > 64 && this.#removed.size > this.size;
  }

  /** Adds a skill and gives the slot by which it is known from now on; lengths are those of the terms unless given. */
  add(terms: FieldTerms, lengths: Partial<Record<RankField, number>> = {}): number {
    const slot = this.slots;
    const counts = new Map<number, number>();
    fields.forEach((field, index) => {
      for (const term of terms[field]) {
        const id = this.#intern(term);
        counts.set(id, increased(counts.get(id) ?? 0, index));
      }
      this.#lengths[index]?.push(lengths[field] ?? terms[field].length);
    });
    this.#start.push(this.#terms.length);
    for (const [term, packed] of counts) {
      this.#terms.push(term);
      this.#counts.push(packed);
    }
    this.#postings = undefined;
    return slot;
  }

  /** Takes a skill out; its slot is not given again. */
  remove(slot: number): void {
    if (!this.has(slot)) return;
    this.#removed.add(slot);
    this.#postings = undefined;
  }

  /** Whether a slot holds a skill. */
  has(slot: number): boolean {
    return slot < this.slots && !this.#removed.has(slot);
  }

  /** The number of a term, or undefined when no skill ever held it. */
  idOf(term: string): number | undefined {
    return this.#ids.get(term);
  }

  /** Which skills hold which term; made when first asked for after a change. */
  get postings(): Postings {
    return (this.#postings ??= buildPostings(this, (slot, counts) => impactOf(slot, counts, this)));
  }

  /** How much a term tells apart: the rarer, the more. */
  rarityOf(id: number): number {
    return this.#rarity(this.postings.frequencyOf(id), this.#shares[id] ?? 0);
  }

  /** The same for a term that no skill here holds. */
  rarityOfUnknown(term: string): number {
    return this.#rarity(0, shareInGeneral(term));
  }

  /** Calls `visit` for each term that a skill holds. */
  eachTerm(slot: number, visit: (id: number, counts: number) => void): void {
    const end = slot + 1 < this.slots ? this.#start.at(slot + 1) : this.#terms.length;
    for (let at = this.#start.at(slot); at < end; at++) visit(this.#terms.at(at), this.#counts.at(at));
  }

  /** How many terms a part of a skill has. */
  lengthOf(slot: number, field: number): number {
    return this.#lengths[field]?.at(slot) ?? 0;
  }

  /** Counts as if there were some more skills of the usual kind: a handful alone cannot tell a common word from a rare one. */
  #rarity(frequency: number, share: number): number {
    const holding = frequency + usualSkills * share;
    return Math.log(1 + (this.size + usualSkills - holding + 0.5) / (holding + 0.5));
  }

  #intern(term: string): number {
    const known = this.#ids.get(term);
    if (known !== undefined) return known;
    this.#shares.push(shareInGeneral(term));
    this.#ids.set(term, this.#ids.size);
    return this.#ids.size - 1;
  }
}

/** What a term is taken for that few skills anywhere hold. */
const rare = 0.0005;

let shares: ReadonlyMap<string, number> | undefined;

/** In which part of skills in general a term stands: what a few skills alone cannot tell. */
function shareInGeneral(term: string): number {
  shares ??= new Map(
    commonTerms.flatMap(({ percent, terms }) => terms.split(' ').map((one) => [one, percent / 100] as const)),
  );
  return shares.get(term) ?? rare;
}
