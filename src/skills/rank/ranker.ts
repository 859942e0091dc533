import { compareText } from '../registry/collisions.ts';
import { findCopies, type CopyCorpus } from './copies.ts';
import { contentWords, createCloneGroups } from './clones.ts';
import { signsFor, weigh, type Signs, type Weights } from './confidence.ts';
import type { SkillVectors } from './embeddings.ts';
import {
  consider,
  end,
  type Considered,
  type Evidence,
  type Sentences,
  type RankCorpus,
} from './evidence.ts';
import { partsOf, type Searchable } from './fields.ts';
import { byMeaning, byWords } from './learned-weights.ts';
import { readRequest, type Request } from './request.ts';
import { TermIndex } from './term-index.ts';

/** Options for ranking. */
export interface RankOptions {
  /** The maximum number of candidates. Defaults to 10. */
  readonly limit?: number | undefined;
  /** Whether the skill with this key can be a candidate. Defaults to true for every skill. */
  readonly among?: ((key: string) => boolean) | undefined;
  /** The vector of the prompt. Without it, skills are ranked by words alone. */
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
}

/** A prompt, its candidates and their strengths. */
interface Weighed {
  readonly request: Request;
  readonly considered: readonly (Considered & { readonly key: string; readonly strength: number })[];
  /** The slots of surplus skills that copy the prompt. They come last. */
  readonly surplus: readonly number[];
  /** The signals for the best candidate. Undefined if there are no candidates. */
  readonly signs: Signs | undefined;
}

interface Entry {
  readonly key: string;
  readonly description: string;
  readonly isOwn: boolean;
  readonly sentences: Sentences;
}

/** Ranks skills for a prompt. The same skills, vectors and prompt always produce the same order. */
export class Ranker {
  readonly #index = new TermIndex();
  readonly #entries: (Entry | undefined)[] = [];
  readonly #slots = new Map<string, number>();
  readonly meanings: SkillVectors | undefined;

  readonly #corpus: CopyCorpus & Pick<RankCorpus, 'sentencesOf'>;

  constructor(meanings?: SkillVectors) {
    this.meanings = meanings;
    this.#corpus = {
      index: this.#index,
      meanings,
      compare: (a, b) => compareText(this.#entries[a]?.key ?? '', this.#entries[b]?.key ?? ''),
      descriptionOf: (slot) => this.#entries[slot]?.description ?? '',
      isOwn: (slot) => this.#entries[slot]?.isOwn === true,
      sentencesOf: (slot) => this.#entries[slot]?.sentences ?? new Uint32Array(),
    };
  }

  /** Returns the keys of all skills. */
  keys(): readonly string[] {
    return [...this.#slots.keys()];
  }

  /**
   * Whether more skills were removed than remain. Rebuilding the index would then at least halve its size.
   */
  get isWorn(): boolean {
    return this.#index.isWorn;
  }

  /** Adds a skill under a new key. */
  add(key: string, skill: Searchable): void {
    const parts = partsOf(skill);
    const slot = this.#index.add(parts.terms, { description: parts.descriptionLength });
    const ids = parts.sentences.flatMap((terms) => [
      ...terms.map((term) => this.#index.idOf(term) ?? end),
      end,
    ]);
    this.#entries[slot] = {
      key,
      description: skill.description,
      isOwn: skill.isOwn === true,
      sentences: Uint32Array.from(ids),
    };
    this.#slots.set(key, slot);
    this.meanings?.add(slot, skill, parts.prose);
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
    const weights = weightsFor(options);
    const { request, considered, surplus, signs } = this.weighUp(prompt, options);
    const [best] = considered;
    if (best === undefined || signs === undefined)
      return { ranked: [], sure: 0, threshold: weights.threshold };
    const sure = 1 / (1 + Math.exp(-weigh(signs, weights.signs)));
    const strongest = best.strength;
    const placed = clonesLast(considered, ({ slot }) => this.#entries[slot]?.description ?? '');
    const weakest = placed.at(-1)?.strength ?? 0;
    const last = surplus.map((slot) => ({
      item: { slot, key: this.#entries[slot]?.key ?? '' },
      strength: weakest,
    }));
    const ranked = [...placed, ...last]
      .slice(0, Math.max(0, options.limit ?? 10))
      .map(({ item: { slot, key }, strength }) => ({
        key,
        score: sure * Math.exp(strength - strongest),
        why: sharedWords(request, slot, this.#index),
      }));
    return { ranked, sure, threshold: weights.threshold };
  }

  /** Returns all candidates with their evidence, strongest first, and the signals for the best candidate. */
  weighUp(prompt: string, options: RankOptions = {}): Weighed {
    const { among, limit, vector } = options;
    const weights = weightsFor(options);
    const isAsked = (slot: number): boolean => {
      const entry = this.#entries[slot];
      return entry !== undefined && among?.(entry.key) !== false;
    };
    const plain = readRequest(prompt, this.#index);
    const copies = findCopies(this.#corpus, { request: plain, vector, isIncluded: isAsked });
    const rarities = this.#index.without(copies.surplus);
    const request = copies.all.size === 0 ? plain : readRequest(prompt, this.#index, rarities);
    const corpus: RankCorpus = { ...this.#corpus, copies: copies.all, rarities };
    const isIncluded = (slot: number): boolean => !copies.surplus.has(slot) && isAsked(slot);
    const considered = consider(corpus, request, isIncluded, { atLeast: limit, vector })
      .map((candidate) => ({
        ...candidate,
        key: this.#entries[candidate.slot]?.key ?? '',
        strength: weigh(candidate.evidence, weights.evidence),
      }))
      .sort((a, b) => b.strength - a.strength || compareText(a.key, b.key));
    const [best] = considered;
    const signs = best === undefined ? undefined : signsFor(best, considered, corpus, request, vector);
    return { request, considered, surplus: [...copies.surplus], signs };
  }
}

function weightsFor({ weights, vector }: RankOptions): Weights {
  return weights ?? (vector === undefined ? byWords : byMeaning);
}

/** The data that decides which near-duplicate represents its group. */
interface Rival {
  readonly strength: number;
  readonly evidence: Pick<Evidence, 'name'>;
}

/**
 * A candidate, and the strength that determines its position. The strength may be that of a near-duplicate.
 */
interface Placed<Item> {
  readonly item: Item;
  readonly strength: number;
}

const muchLonger = 1.5;

/**
 * Moves near-duplicates to the end. One member of each group takes the position of the group's strongest
 * member. Another member keeps its own position if its content words differ, such as "staging" instead of
 * "production". `items` must be sorted with the strongest candidates first.
 */
function clonesLast<Item extends Rival>(
  items: readonly Item[],
  descriptionOf: (item: Item) => string,
): readonly Placed<Item>[] {
  const groups = createCloneGroups();
  const first: Placed<Item>[] = [];
  const byGroup = Map.groupBy(items, (item) => groups.add(descriptionOf(item)));
  for (const members of byGroup.values()) {
    const strength = members[0]?.strength ?? 0;
    const lead = leadOf(members, descriptionOf);
    if (lead === undefined) continue;
    first.push({ item: lead, strength });
    const second = members.length > 1 ? saysElse(members, descriptionOf(lead), descriptionOf) : undefined;
    if (second !== undefined) first.push({ item: second, strength: second.strength });
  }
  const isFirst = new Set(first.map(({ item }) => item));
  const last = first.reduce((least, { strength }) => Math.min(least, strength), Infinity);
  return [
    ...first.sort((a, b) => b.strength - a.strength),
    ...items
      .filter((item) => !isFirst.has(item))
      .map((item) => ({ item, strength: Math.min(item.strength, last) })),
  ];
}

/**
 * Returns the member whose name matches best. If several match equally well, returns the strongest one whose
 * description is not much longer than the others.
 */
function leadOf<Item extends Rival>(
  members: readonly Item[],
  descriptionOf: (item: Item) => string,
): Item | undefined {
  const most = Math.max(...members.map(({ evidence }) => evidence.name));
  const named = members.filter(({ evidence }) => evidence.name === most);
  const shortest = Math.min(...named.map((item) => descriptionOf(item).length));
  return named.find((item) => descriptionOf(item).length <= muchLonger * shortest);
}

/** Returns the first member whose content words differ from those of a description. */
function saysElse<Item>(
  members: readonly Item[],
  description: string,
  descriptionOf: (item: Item) => string,
): Item | undefined {
  const said = wordsIn(description);
  return members.find((item) => descriptionOf(item) !== description && wordsIn(descriptionOf(item)) !== said);
}

function wordsIn(description: string): string {
  return [...contentWords(description)].sort().join(' ');
}

const maxWords = 6;

/**
 * Returns the words that a skill shares with a prompt, as written in the prompt. The most informative word
 * comes first.
 */
function sharedWords({ whole, written }: Request, slot: number, index: TermIndex): readonly string[] {
  const shared: { readonly word: string; readonly worth: number }[] = [];
  index.eachTerm(slot, (id) => {
    const [word, worth] = [written.get(id), whole.worth.get(id)];
    if (word !== undefined && worth !== undefined) shared.push({ word, worth });
  });
  const words = shared.sort((a, b) => b.worth - a.worth).map(({ word }) => word);
  return [...new Set(words)].slice(0, maxWords);
}
