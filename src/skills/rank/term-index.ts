import { commonTerms } from './common-terms.ts';
import { fields, impactOf, increased, type RankField, type FieldTerms, type Lengths } from './fields.ts';
import { buildPostings, NumberList, type Base, type Holdings, type Postings } from './postings.ts';
import type { StoredIndex, SkillTerms } from './stored/stored-index.ts';

/** The rarity of terms among some of the skills of an index. */
export interface Rarities {
  /** Whether one of the skills contains a term. The terms of removed skills keep their numbers. */
  holds(id: number): boolean;
  /** Returns the rarity of a term. The rarer a term is, the better it distinguishes skills. */
  rarityOf(id: number): number;
  /** Returns the rarity of a term that none of the skills contains. */
  rarityOfUnknown(term: string): number;
}

const usualSkills = 200;

/** The texts that an index keeps of a skill besides its terms. */
interface StoredText {
  readonly sentences: readonly (readonly string[])[];
  readonly opening: string;
}

/** The number in lists of terms that marks the end of the name or of a sentence. */
export const end = 0xffff_ffff;

/**
 * An index that stores the terms of all skills in flat columns. Ten thousand skills need only a few arrays
 * and one map.
 */
export class TermIndex implements Lengths, Holdings, Rarities {
  readonly #ids = new Map<string, number>();
  #added: readonly string[] | undefined;
  /** For each term number, the estimated share of skills in general that contain the term. */
  readonly #shares: number[] = [];
  // The terms of each skill with their packed counts, one skill after another.
  readonly #terms = new NumberList();
  readonly #counts = new NumberList();
  // For each slot, the position at which the skill's terms start, and the lengths of its fields.
  readonly #start = new NumberList();
  readonly #lengths = fields.map(() => new NumberList());
  readonly #sentences = new NumberList();
  readonly #sentenceStart = new NumberList();
  readonly #openings: string[] = [];
  readonly #removed = new Set<number>();
  readonly #base: (Base & { readonly gone: Map<number, number> }) | undefined;
  #postings: Postings | undefined;

  constructor(stored?: StoredIndex) {
    this.#base = stored && { stored, removed: this.#removed, gone: new Map() };
  }

  /** The number of skills. */
  get size(): number {
    return this.slots - this.#removed.size;
  }

  /** The highest slot that was ever used, plus one. */
  get slots(): number {
    return this.#firstSlot + this.#start.length;
  }

  /** The number of different terms that were ever added. */
  get terms(): number {
    return this.#firstTerm + this.#ids.size;
  }

  get #firstSlot(): number {
    return this.#base?.stored.slots ?? 0;
  }

  get #firstTerm(): number {
    return this.#base?.stored.terms ?? 0;
  }

  /** The number of skills that were added or removed since the index was created. */
  get changes(): number {
    return this.#start.length + this.#removed.size;
  }

  /**
   * Adds a skill and returns its slot. `lengths` overrides the number of terms in a field. The terms of
   * sentences that are not in a field become `end`, which also follows each sentence.
   */
  add(
    terms: FieldTerms,
    lengths: Partial<Record<RankField, number>> = {},
    { sentences = [], opening = '' }: Partial<StoredText> = {},
  ): number {
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
    this.#sentenceStart.push(this.#sentences.length);
    for (const sentence of sentences) {
      for (const term of sentence) this.#sentences.push(this.idOf(term) ?? end);
      this.#sentences.push(end);
    }
    this.#openings.push(opening);
    this.#postings = undefined;
    return slot;
  }

  /** Removes a skill. Its slot is not used again. */
  remove(slot: number): void {
    if (!this.has(slot)) return;
    this.#removed.add(slot);
    const { gone, stored } = this.#base ?? {};
    if (slot < this.#firstSlot)
      for (const id of stored?.skillAt(slot).terms ?? []) gone?.set(id, (gone.get(id) ?? 0) + 1);
    this.#postings = undefined;
  }

  /** Whether there is a skill in a slot. */
  has(slot: number): boolean {
    return slot < this.slots && !this.#removed.has(slot);
  }

  /** Returns the number of a term, or undefined if no skill has ever contained it. */
  idOf(term: string): number | undefined {
    return this.#base?.stored.idOf(term) ?? this.#ids.get(term);
  }

  /** Returns the term with a number. Slow for terms that were added since the index was created. */
  termAt(id: number): string {
    if (id < this.#firstTerm) return this.#base?.stored.termAt(id) ?? '';
    this.#added ??= [...this.#ids.keys()];
    return this.#added[id - this.#firstTerm] ?? '';
  }

  /** The skills that contain each term. The list is built when it is first needed after a change. */
  get postings(): Postings {
    return (this.#postings ??= buildPostings(
      this,
      (slot, counts) => impactOf(slot, counts, this),
      this.#base,
    ));
  }

  holds(id: number): boolean {
    return this.postings.frequencyOf(id) > 0;
  }

  rarityOf(id: number): number {
    return this.#rarity(this.postings.frequencyOf(id), this.shareOf(id));
  }

  rarityOfUnknown(term: string): number {
    return this.#rarity(0, shareInGeneral(term));
  }

  /** Returns the rarity of a term among skills in general, which no skill of this index can change. */
  usualRarityOf(id: number): number {
    return -Math.log(this.shareOf(id));
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
      rarityOf: (id) => this.#rarity(frequencyOf(id), this.shareOf(id), size),
      rarityOfUnknown: (term) => this.#rarity(0, shareInGeneral(term), size),
    };
  }

  /** Calls `visit` for each term of a skill. */
  eachTerm(slot: number, visit: (id: number, counts: number) => void): void {
    if (slot < this.#firstSlot) {
      const { terms, counts } = this.skillAt(slot);
      terms.forEach((id, at) => {
        visit(id, counts[at] ?? 0);
      });
      return;
    }
    const [start, last] = this.#rangeOf(slot, this.#start, this.#terms.length);
    for (let at = start; at < last; at++) visit(this.#terms.at(at), this.#counts.at(at));
  }

  /** Returns the terms and texts of the skill in a slot. */
  skillAt(slot: number): SkillTerms {
    if (this.#base !== undefined && slot < this.#firstSlot) return this.#base.stored.skillAt(slot);
    const range = this.#rangeOf(slot, this.#start, this.#terms.length);
    return {
      terms: this.#terms.slice(...range),
      counts: this.#counts.slice(...range),
      sentences: this.sentencesOf(slot),
      opening: this.#openings[slot - this.#firstSlot] ?? '',
    };
  }

  /** Returns the terms of the name and of each sentence of a skill, each followed by `end`. */
  sentencesOf(slot: number): Uint32Array {
    if (this.#base !== undefined && slot < this.#firstSlot) return this.#base.stored.skillAt(slot).sentences;
    return this.#sentences.slice(...this.#rangeOf(slot, this.#sentenceStart, this.#sentences.length));
  }

  #rangeOf(slot: number, starts: NumberList, last: number): [start: number, end: number] {
    const index = slot - this.#firstSlot;
    return [starts.at(index), index + 1 < starts.length ? starts.at(index + 1) : last];
  }

  /** Returns the number of terms in a field of a skill. */
  lengthOf(slot: number, field: number): number {
    if (slot < this.#firstSlot) return this.#base?.stored.lengthOf(slot, field) ?? 0;
    return this.#lengths[field]?.at(slot - this.#firstSlot) ?? 0;
  }

  /**
   * Returns a term's rarity. Adds the counts of some typical skills, because a small collection does not show
   * which words are common.
   */
  #rarity(frequency: number, share: number, size = this.size): number {
    const holding = frequency + usualSkills * share;
    return Math.log(1 + (size + usualSkills - holding + 0.5) / (holding + 0.5));
  }

  /** Returns the estimated share of skills in general that contain a term. */
  shareOf(id: number): number {
    if (id < this.#firstTerm) return this.#base?.stored.shareOf(id) ?? 0;
    return this.#shares[id - this.#firstTerm] ?? 0;
  }

  #intern(term: string): number {
    const known = this.idOf(term);
    if (known !== undefined) return known;
    const id = this.terms;
    this.#shares.push(shareInGeneral(term));
    this.#ids.set(term, id);
    this.#added = undefined;
    return id;
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
