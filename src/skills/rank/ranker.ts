import { compareText } from '../registry/collisions.ts';
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

/** What to rank. */
export interface RankOptions {
  /** How many to name; 10 unless given. */
  readonly limit?: number | undefined;
  /** Which skills may be candidates, by their keys; all when absent. */
  readonly among?: ((key: string) => boolean) | undefined;
  /** The prompt as a vector; words alone decide without it. */
  readonly vector?: Int8Array | undefined;
  /** Weights other than the learned ones. */
  readonly weights?: Weights | undefined;
}

/** A skill that may be meant. */
export interface Ranked {
  readonly key: string;
  /** From 0 to 1: how sure it is that this skill applies. */
  readonly score: number;
  /** The words of the prompt that it shares, those that tell most first. */
  readonly why: readonly string[];
}

/** The candidates for a prompt, best first. */
interface Order {
  readonly ranked: readonly Ranked[];
  /** How sure it is that any skill applies, from 0 to 1. */
  readonly sure: number;
  /** When the best score is below it, no skill applies. */
  readonly threshold: number;
}

/** How a prompt was weighed. */
interface Weighed {
  readonly request: Request;
  readonly considered: readonly (Considered & { readonly key: string; readonly strength: number })[];
  /** Absent when there is no candidate. */
  readonly signs: Signs | undefined;
}

interface Entry {
  readonly key: string;
  readonly description: string;
  readonly sentences: Sentences;
}

/** Orders skills by how well they fit a prompt: the same skills, vectors and prompt give the same order. */
export class Ranker {
  readonly #index = new TermIndex();
  readonly #entries: (Entry | undefined)[] = [];
  readonly #slots = new Map<string, number>();
  readonly meanings: SkillVectors | undefined;

  constructor(meanings?: SkillVectors) {
    this.meanings = meanings;
  }

  /** The keys of the skills in it. */
  keys(): readonly string[] {
    return [...this.#slots.keys()];
  }

  /** Whether so many skills were removed that a new ranker would be half as large. */
  get isWorn(): boolean {
    return this.#index.isWorn;
  }

  /** Adds a skill under a key that is new. */
  add(key: string, skill: Searchable): void {
    const parts = partsOf(skill);
    const slot = this.#index.add(parts.terms, { description: parts.descriptionLength });
    const ids = parts.sentences.flatMap((terms) => [
      ...terms.map((term) => this.#index.idOf(term) ?? end),
      end,
    ]);
    this.#entries[slot] = { key, description: skill.description, sentences: Uint32Array.from(ids) };
    this.#slots.set(key, slot);
    this.meanings?.add(slot, skill, parts.prose);
  }

  /** Takes a skill out. */
  remove(key: string): void {
    const slot = this.#slots.get(key);
    if (slot === undefined) return;
    this.#slots.delete(key);
    this.#index.remove(slot);
    this.#entries[slot] = undefined;
    this.meanings?.remove(slot);
  }

  /** The candidates for a prompt; near-duplicates of a better one come last. */
  rank(prompt: string, options: RankOptions = {}): Order {
    const weights = weightsFor(options);
    const { request, considered, signs } = this.weighUp(prompt, options);
    const [best] = considered;
    if (best === undefined || signs === undefined)
      return { ranked: [], sure: 0, threshold: weights.threshold };
    const sure = 1 / (1 + Math.exp(-weigh(signs, weights.signs)));
    const strongest = best.strength;
    const ranked = clonesLast(considered, ({ slot }) => this.#entries[slot]?.description ?? '')
      .slice(0, Math.max(0, options.limit ?? 10))
      .map(({ item: { slot, key }, strength }) => ({
        key,
        score: sure * Math.exp(strength - strongest),
        why: sharedWords(request, slot, this.#index),
      }));
    return { ranked, sure, threshold: weights.threshold };
  }

  /** All candidates with what speaks for them, strongest first, and the signs for the first. */
  weighUp(prompt: string, options: RankOptions = {}): Weighed {
    const { among, limit, vector } = options;
    const weights = weightsFor(options);
    const shelf: RankCorpus = {
      index: this.#index,
      meanings: this.meanings,
      compare: (a, b) => compareText(this.#entries[a]?.key ?? '', this.#entries[b]?.key ?? ''),
      sentencesOf: (slot) => this.#entries[slot]?.sentences ?? new Uint32Array(),
    };
    const request = readRequest(prompt, this.#index);
    const isWanted = (slot: number): boolean => {
      const entry = this.#entries[slot];
      return entry !== undefined && among?.(entry.key) !== false;
    };
    const considered = consider(shelf, request, isWanted, { atLeast: limit, vector })
      .map((candidate) => ({
        ...candidate,
        key: this.#entries[candidate.slot]?.key ?? '',
        strength: weigh(candidate.evidence, weights.evidence),
      }))
      .sort((a, b) => b.strength - a.strength || compareText(a.key, b.key));
    const [best] = considered;
    const signs = best === undefined ? undefined : signsFor(best, considered, shelf, request, vector);
    return { request, considered, signs };
  }
}

function weightsFor({ weights, vector }: RankOptions): Weights {
  return weights ?? (vector === undefined ? byWords : byMeaning);
}

/** A candidate, as far as its place among near-duplicates depends on it. */
interface Rival {
  readonly strength: number;
  readonly evidence: Pick<Evidence, 'name'>;
}

/** A candidate in the place that it or a near-duplicate of it has earned. */
interface Placed<Item> {
  readonly item: Item;
  readonly strength: number;
}

const muchLonger = 1.5;

/**
 * One of each group of near-duplicates in the place of the strongest of them, and one more if it says something else
 * in a word or two, as skills for staging and production do; then all others. Candidates come strongest first.
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

/** Whose name is asked for most; else the strongest, but no copy that says much more than the original. */
function leadOf<Item extends Rival>(
  members: readonly Item[],
  descriptionOf: (item: Item) => string,
): Item | undefined {
  const most = Math.max(...members.map(({ evidence }) => evidence.name));
  const named = members.filter(({ evidence }) => evidence.name === most);
  const shortest = Math.min(...named.map((item) => descriptionOf(item).length));
  return named.find((item) => descriptionOf(item).length <= muchLonger * shortest);
}

/** The first whose description has other content words. */
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

const mostWords = 6;

/** The words of a prompt that a skill shares, as they are written there, those that tell most first. */
function sharedWords({ whole, written }: Request, slot: number, index: TermIndex): readonly string[] {
  const shared: { readonly word: string; readonly worth: number }[] = [];
  index.eachTerm(slot, (id) => {
    const [word, worth] = [written.get(id), whole.worth.get(id)];
    if (word !== undefined && worth !== undefined) shared.push({ word, worth });
  });
  const words = shared.sort((a, b) => b.worth - a.worth).map(({ word }) => word);
  return [...new Set(words)].slice(0, mostWords);
}
