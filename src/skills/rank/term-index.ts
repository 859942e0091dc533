import { Column } from './column.ts';
import { fields, increased, type Field, type FieldTerms, type Lengths } from './counts.ts';
import { shareInGeneral } from './generality.ts';
import { impactOf } from './impact.ts';
import { buildPostings, type Holdings, type Postings } from './postings.ts';

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
  add(terms: FieldTerms, lengths: Partial<Record<Field, number>> = {}): number {
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
