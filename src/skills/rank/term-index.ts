import { commonTerms } from './common-terms.ts';
import { fields, impactOf, increased, type RankField, type FieldTerms, type Lengths } from './fields.ts';

/** A list of integers below 2³² that can grow. Each integer takes four bytes. */
class Column {
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
class Postings {
  readonly #start: Uint32Array;
  readonly #slots: Uint32Array;
  readonly #impacts: Float32Array;

  constructor(start: Uint32Array, slots: Uint32Array, impacts: Float32Array) {
    this.#start = start;
    this.#slots = slots;
    this.#impacts = impacts;
  }

  /** Returns the number of skills that contain a term. */
  frequencyOf(id: number): number {
    return (this.#start[id + 1] ?? 0) - (this.#start[id] ?? 0);
  }

  /**
   * Adds the value of a term, multiplied by its impact, to the score of each skill that contains the term.
   */
  addTo(scores: Float64Array, id: number, worth: number): void {
    const [slots, impacts, end] = [this.#slots, this.#impacts, this.#start[id + 1] ?? 0];
    for (let at = this.#start[id] ?? 0; at < end; at++) {
      const slot = slots[at] ?? 0;
      scores[slot] = (scores[slot] ?? 0) + worth * (impacts[at] ?? 0);
    }
  }
}

/** The rarity of terms among some of the skills of an index. */
export interface Rarities {
  /** Whether one of the skills contains a term. The terms of removed skills keep their numbers. */
  holds(id: number): boolean;
  /** Returns the rarity of a term. The rarer a term is, the better it distinguishes skills. */
  rarityOf(id: number): number;
  /** Returns the rarity of a term that none of the skills contains. */
  rarityOfUnknown(term: string): number;
}

/** The terms of each skill, keyed by slot. */
interface Holdings {
  /** An upper bound on the number of different terms. */
  readonly terms: number;
  readonly slots: number;
  has(slot: number): boolean;
  eachTerm(slot: number, visit: (id: number, counts: number) => void): void;
}

/** Converts lists of the terms in each skill to lists of the skills with each term. */
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

/**
 * An index that stores the terms of all skills in flat columns. Ten thousand skills need only a few arrays
 * and one map.
 */
export class TermIndex implements Lengths, Holdings, Rarities {
  readonly #ids = new Map<string, number>();
  /** For each term number, the estimated share of skills in general that contain the term. */
  readonly #shares: number[] = [];
  // The terms of each skill with their packed counts, one skill after another.
  readonly #terms = new Column();
  readonly #counts = new Column();
  // For each slot, the position at which the skill's terms start, and the lengths of its fields.
  readonly #start = new Column();
  readonly #lengths = fields.map(() => new Column());
  readonly #removed = new Set<number>();
  #postings: Postings | undefined;

  /** The number of skills. */
  get size(): number {
    return this.slots - this.#removed.size;
  }

  /** The highest slot that was ever used, plus one. */
  get slots(): number {
    return this.#start.length;
  }

  /** The number of different terms that were ever added. */
  get terms(): number {
    return this.#ids.size;
  }

  /**
   * Whether more skills were removed than remain. Rebuilding the index would then at least halve its size.
   */
  get isWorn(): boolean {
    return this.#removed.size > 64 && this.#removed.size > this.size;
  }

  /** Adds a skill and returns its slot. `lengths` overrides the number of terms in a field. */
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

  /** Removes a skill. Its slot is not used again. */
  remove(slot: number): void {
    if (!this.has(slot)) return;
    this.#removed.add(slot);
    this.#postings = undefined;
  }

  /** Whether there is a skill in a slot. */
  has(slot: number): boolean {
    return slot < this.slots && !this.#removed.has(slot);
  }

  /** Returns the number of a term, or undefined if no skill has ever contained it. */
  idOf(term: string): number | undefined {
    return this.#ids.get(term);
  }

  /** The skills that contain each term. The list is built when it is first needed after a change. */
  get postings(): Postings {
    return (this.#postings ??= buildPostings(this, (slot, counts) => impactOf(slot, counts, this)));
  }

  holds(id: number): boolean {
    return this.postings.frequencyOf(id) > 0;
  }

  rarityOf(id: number): number {
    return this.#rarity(this.postings.frequencyOf(id), this.#shares[id] ?? 0);
  }

  rarityOfUnknown(term: string): number {
    return this.#rarity(0, shareInGeneral(term));
  }

  /** Returns the rarity of a term among skills in general, which no skill of this index can change. */
  usualRarityOf(id: number): number {
    return -Math.log(this.#shares[id] ?? rare);
  }

  /** Returns the rarities of terms among all skills except some. */
  without(slots: ReadonlySet<number>): Rarities {
    if (slots.size === 0) return this;
    const omitted = new Map<number, number>();
    for (const slot of slots) this.eachTerm(slot, (id) => omitted.set(id, (omitted.get(id) ?? 0) + 1));
    const size = this.size - slots.size;
    const frequencyOf = (id: number): number => this.postings.frequencyOf(id) - (omitted.get(id) ?? 0);
    return {
      holds: (id) => frequencyOf(id) > 0,
      rarityOf: (id) => this.#rarity(frequencyOf(id), this.#shares[id] ?? 0, size),
      rarityOfUnknown: (term) => this.#rarity(0, shareInGeneral(term), size),
    };
  }

  /** Calls `visit` for each term of a skill. */
  eachTerm(slot: number, visit: (id: number, counts: number) => void): void {
    const end = slot + 1 < this.slots ? this.#start.at(slot + 1) : this.#terms.length;
    for (let at = this.#start.at(slot); at < end; at++) visit(this.#terms.at(at), this.#counts.at(at));
  }

  /** Returns the number of terms in a field of a skill. */
  lengthOf(slot: number, field: number): number {
    return this.#lengths[field]?.at(slot) ?? 0;
  }

  /**
   * Returns a term's rarity. Adds the counts of some typical skills, because a small collection does not show
   * which words are common.
   */
  #rarity(frequency: number, share: number, size = this.size): number {
    const holding = frequency + usualSkills * share;
    return Math.log(1 + (size + usualSkills - holding + 0.5) / (holding + 0.5));
  }

  #intern(term: string): number {
    const known = this.#ids.get(term);
    if (known !== undefined) return known;
    this.#shares.push(shareInGeneral(term));
    this.#ids.set(term, this.#ids.size);
    return this.#ids.size - 1;
  }
}

/** The share of skills that contain a term, if the term is not in the list of common terms. */
const rare = 0.0005;

let shares: ReadonlyMap<string, number> | undefined;

/**
 * Returns the estimated share of skills in general that contain a term. The indexed skills alone would be a
 * poor sample.
 */
function shareInGeneral(term: string): number {
  shares ??= new Map(
    commonTerms.flatMap(({ percent, terms }) => terms.split(' ').map((one) => [one, percent / 100] as const)),
  );
  return shares.get(term) ?? rare;
}
