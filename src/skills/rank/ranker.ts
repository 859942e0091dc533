import { compareText } from '../registry/collisions.ts';
import { findCopies, type CopyCorpus } from './copies.ts';
import {
  evidenceWeights,
  firstByWords,
  neighbours,
  signsFor,
  weigh,
  type Signs,
  type Weights,
} from './confidence.ts';
import { openingLength, type SkillVectors } from './embeddings.ts';
import { consider, scoreWords, type Considered, type RankCorpus } from './evidence.ts';
import { partsOf, type Searchable } from './fields.ts';
import { byMeaning, byWords } from './learned-weights.ts';
import { clonesLast } from './placement.ts';
import { readRequest, sharedWords, type Request } from './request.ts';
import { buildIndex, type BuiltIndex } from './stored/build-index.ts';
import type { StoredIndex } from './stored/stored-index.ts';
import { TermIndex } from './term-index.ts';

/** Options for ranking. */
export interface RankOptions {
  /** The maximum number of candidates. Defaults to 10. */
  readonly limit?: number | undefined;
  /** Whether the skill with this key can be a candidate. Defaults to true for every skill. */
  readonly among?: ((key: string) => boolean) | undefined;
  /**
   * The vector of the prompt. Without it, skills are ranked by words alone. If some skills have no vectors,
   * only the best by words are ranked by meaning too: as many as have vectors without a gap.
   */
  readonly vector?: Int8Array | undefined;
  /** Weights to use instead of the learned weights. */
  readonly weights?: Weights | undefined;
}

/** A candidate skill. */
export interface Ranked {
  readonly key: string;
  /** The confidence that this skill applies, from 0 to 1. */
  readonly score: number;
  /** The words that the skill shares with the prompt, most informative first. */
  readonly why: readonly string[];
}

/** The candidates for a prompt, best first. */
interface Order {
  readonly ranked: readonly Ranked[];
  /** The confidence that one of the skills applies, from 0 to 1. */
  readonly sure: number;
  /** The minimum confidence at which a skill applies. */
  readonly threshold: number;
  /** The lead of the first candidate over the second. */
  readonly margin: number;
  readonly by: 'words' | 'meaning';
}

/** A prompt, its candidates and their strengths. */
interface Weighed {
  readonly request: Request;
  readonly considered: readonly Strong[];
  /** The slots of surplus skills that copy the prompt. They come last. */
  readonly surplus: readonly number[];
  /** The signals for the best candidate. Undefined if there are no candidates. */
  readonly signs: Signs | undefined;
  readonly weights: Weights;
}

type Strong = Considered & { readonly key: string; readonly isOwn: boolean; readonly strength: number };

interface Entry {
  readonly key: string;
  readonly description: string;
  readonly isOwn: boolean;
}

// In public collections, ranking only such skills by meaning finds as many as ranking twice as many of them.
const farBelow = 5;

/** Ranks skills for a prompt. The same skills, vectors and prompt always produce the same order. */
export class Ranker {
  readonly #index: TermIndex;
  readonly #stored: StoredIndex | undefined;
  readonly #entries: (Entry | undefined)[] = [];
  readonly #slots = new Map<string, number>();
  readonly meanings: SkillVectors | undefined;
  readonly #corpus: CopyCorpus & Pick<RankCorpus, 'sentencesOf'>;

  /** Creates a ranker without skills. The terms of those in `stored` need not be found again. */
  constructor(meanings?: SkillVectors, stored?: StoredIndex) {
    this.meanings = meanings;
    this.#stored = stored;
    const index = (this.#index = new TermIndex(stored));
    this.#corpus = {
      index,
      compare: (a, b) => compareText(this.#entries[a]?.key ?? '', this.#entries[b]?.key ?? ''),
      descriptionOf: (slot) => this.#entries[slot]?.description ?? '',
      isOwn: (slot) => this.#entries[slot]?.isOwn === true,
      sentencesOf: (slot) => index.sentencesOf(slot),
    };
  }

  /** The number of skills. */
  get size(): number {
    return this.#index.size;
  }

  /** Returns the keys of all skills. */
  keys(): readonly string[] {
    return [...this.#slots.keys()];
  }

  /** Adds a skill under a new key. */
  add(key: string, skill: Searchable): void {
    const parts = partsOf(skill);
    const { terms, descriptionLength, sentences, prose } = parts;
    const stored = { sentences, opening: prose.slice(0, openingLength) };
    const slot = this.#index.add(terms, { description: descriptionLength }, stored);
    this.#put(slot, key, skill, prose);
  }

  /** Adds a skill whose terms are in the stored index, without its body. Returns false if they are not. */
  addStored(key: string, skill: Omit<Searchable, 'body'>): boolean {
    const slot = this.#stored?.slotOf(key);
    if (slot === undefined || this.#slots.has(key)) return false;
    const opening = this.meanings === undefined ? '' : this.#index.skillAt(slot).opening;
    this.#put(slot, key, skill, opening);
    return true;
  }

  /** Leaves out the skills of the stored index that were not added. */
  async removeOthers(pause: () => Promise<void> | undefined): Promise<void> {
    for (let slot = 0; slot < (this.#stored?.slots ?? 0); slot++) {
      if (this.#entries[slot] === undefined) this.#index.remove(slot);
      await pause();
    }
  }

  /** The number of skills that differ from those in the stored index. */
  get changes(): number {
    return this.#index.changes;
  }

  /** Builds an index to keep, which holds the skills as they are now. */
  build(mayStore: (key: string) => boolean, pause: () => Promise<void> | undefined): Promise<BuiltIndex> {
    return buildIndex(
      this.#index,
      (slot) => {
        const key = this.#entries[slot]?.key ?? '';
        return mayStore(key) ? key : undefined;
      },
      pause,
    );
  }

  #put(slot: number, key: string, skill: Omit<Searchable, 'body'>, prose: string): void {
    this.#entries[slot] = { key, description: skill.description, isOwn: skill.isOwn === true };
    this.#slots.set(key, slot);
    this.meanings?.add(slot, skill, prose);
  }

  /** Removes a skill. */
  remove(key: string): void {
    const slot = this.#slots.get(key);
    if (slot === undefined) return;
    this.#slots.delete(key);
    this.#index.remove(slot);
    this.#entries[slot] = undefined;
    this.meanings?.remove(slot);
  }

  /** Returns the candidates for a prompt, best first. Near-duplicates of a better candidate come last. */
  rank(prompt: string, options: RankOptions = {}): Order {
    const { request, considered, surplus, signs, weights } = this.weighUp(prompt, options);
    const { threshold } = weights;
    const by = weights === byWords ? 'words' : 'meaning';
    const [best] = considered;
    if (best === undefined || signs === undefined) return { ranked: [], sure: 0, threshold, margin: 0, by };
    const sure = 1 / (1 + Math.exp(-weigh(signs, weights.signs)));
    const strongest = best.strength;
    const placed = clonesLast(considered, ({ slot }) => this.#corpus.descriptionOf(slot));
    const weakest = placed.at(-1)?.strength ?? 0;
    const last = surplus.map((slot) => ({
      item: { slot, key: this.#entries[slot]?.key ?? '' },
      strength: weakest,
    }));
    const [first = 0, second = -Infinity] = placed.map(({ strength }) => strength);
    const margin = sure * (Math.exp(first - strongest) - Math.exp(second - strongest));
    const ranked = [...placed, ...last]
      .slice(0, Math.max(0, options.limit ?? 10))
      .map(({ item: { slot, key }, strength }) => ({
        key,
        score: sure * Math.exp(strength - strongest),
        why: sharedWords(request, slot, this.#index),
      }));
    return { ranked, sure, threshold, margin, by };
  }

  /** Returns all candidates with their evidence, strongest first, and the signals for the best candidate. */
  weighUp(prompt: string, options: RankOptions = {}): Weighed {
    const { among, limit, vector } = options;
    const isAsked = (slot: number): boolean => {
      const entry = this.#entries[slot];
      return entry !== undefined && among?.(entry.key) !== false;
    };
    const meaning = vector === undefined ? undefined : this.meanings?.scores(vector);
    const plain = readRequest(prompt, this.#index);
    const words = scoreWords(plain.whole, this.#index);
    const copies = findCopies(this.#corpus, { request: plain, words, meaning, isIncluded: isAsked });
    const rarities = this.#index.without(copies.surplus);
    const request = rarities === this.#index ? plain : readRequest(prompt, this.#index, rarities);
    const corpus: RankCorpus = { ...this.#corpus, meanings: this.meanings, copies: copies.all, rarities };
    const isIncluded = (slot: number): boolean => !copies.surplus.has(slot) && isAsked(slot);
    const found = consider(corpus, request, isIncluded, {
      atLeast: limit,
      words: request === plain ? words : scoreWords(request.whole, this.#index),
      meaning,
      vector,
    });
    const { considered, known } = this.#order(found, options);
    const weights = options.weights ?? (known.length === 0 ? byWords : byMeaning);
    const [best] = considered;
    const signs =
      best === undefined
        ? undefined
        : signsFor(
            best,
            known.length === 0 ? considered : known,
            corpus,
            request,
            weights === byWords ? undefined : vector,
          );
    return { request, considered, surplus: [...copies.surplus], signs, weights };
  }

  /**
   * Sorts candidates, strongest first. With a vector, also returns those whose vectors are known. They come
   * before all others, which keep their order by words.
   */
  #order(
    found: readonly Considered[],
    { weights, vector }: RankOptions,
  ): { readonly considered: readonly Strong[]; readonly known: readonly Strong[] } {
    const by = (some: readonly Considered[], each: Weights): readonly Strong[] => {
      const own = evidenceWeights(each, this.#index.size);
      return some
        .map((one) => ({
          ...one,
          key: this.#entries[one.slot]?.key ?? '',
          isOwn: this.#corpus.isOwn(one.slot),
          strength: weigh(one.evidence, own),
        }))
        .sort((a, b) => b.strength - a.strength || compareText(a.key, b.key));
    };
    const { meanings } = this;
    if (vector === undefined || meanings === undefined)
      return { considered: by(found, weights ?? byWords), known: [] };
    const learned = weights ?? byMeaning;
    if (meanings.isComplete) {
      const considered = moveFirst(by(found, learned), (some) =>
        firstByWords(some, learned, this.#index.size),
      );
      return { considered, known: considered };
    }
    const plain = by(found, byWords);
    const gap = plain.findIndex(({ slot }) => !meanings.knows(slot));
    const first = gap < 0 ? plain : plain.slice(0, gap);
    if (first.length < Math.min(neighbours, plain.length)) return { considered: plain, known: [] };
    const known = by(first, learned);
    const lowest = (known.at(-1)?.strength ?? 0) - (plain[first.length]?.strength ?? 0);
    const others = plain.slice(first.length).map((each) => ({ ...each, strength: each.strength + lowest }));
    return { considered: [...known, ...others], known };
  }

  /**
   * Returns the slots of the skills that fit a prompt best by words: at most `most`, and only those that are not so
   * weak by words that meaning cannot make them the first.
   */
  bestByWords(prompt: string, most: number, among: RankOptions['among']): readonly number[] {
    const { considered } = this.weighUp(prompt, { among, limit: most });
    const least = (considered[0]?.strength ?? 0) - farBelow;
    return considered
      .slice(0, most)
      .filter(({ strength }, position) => position < neighbours || strength >= least)
      .map(({ slot }) => slot);
  }
}

/** Moves the chosen item, if there is one, to the start. It becomes as strong as the strongest. */
function moveFirst(
  items: readonly Strong[],
  choose: (items: readonly Strong[]) => Strong | undefined,
): readonly Strong[] {
  const chosen = choose(items);
  if (chosen === undefined) return items;
  const first = { ...chosen, strength: items[0]?.strength ?? 0 };
  return [first, ...items.filter((item) => item !== chosen)];
}
