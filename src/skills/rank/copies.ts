import { countIn, fields } from './fields.ts';
import { largestOf } from './largest.ts';
import type { Request } from './request.ts';
import type { TermIndex } from './term-index.ts';
import { termsOf } from './words.ts';

/** The skills among which to find copies. */
export interface CopyCorpus {
  readonly index: TermIndex;
  descriptionOf(slot: number): string;
  /** Whether the user wrote or chose the skill, so that it comes before a copy from elsewhere. */
  isOwn(slot: number): boolean;
  /** Orders skills with equal scores. */
  compare(a: number, b: number): number;
}

/** The prompt, and the skills that can be candidates for it. */
interface CopyQuery {
  readonly request: Request;
  /** The scores of all skills for shared words, indexed by slot. */
  readonly words: Float64Array;
  /** The similarities between the prompt and all descriptions, indexed by slot. */
  readonly meaning: Float64Array | undefined;
  isIncluded(slot: number): boolean;
}

/** The skills that copy a prompt. */
export interface Copies {
  readonly all: ReadonlySet<number>;
  /** All copies except the best two, which keep their positions. */
  readonly surplus: ReadonlySet<number>;
}

const noCopies: Copies = { all: new Set(), surplus: new Set() };

// In public collections, at most one description repeats this much of a prompt without support in its body. In
// collections without bodies, at most two do for 99 % of prompts.
const mostTerms = 0.5;
const mostMeaning = 0.65;
const leastTerms = 3; // Shorter prompts are repeated by chance.
const longestPrompt = 60; // A description has room for about this many different terms.
const leastSupport = 0.2;
const flood = 10;
const maxPositions = 2;
const firstLook = 12; // Copies that harm others are among the best by words or by meaning.
const firstPool = 60;
const rarest = 7.6; // The rarity of a term that is in no list of common terms.

/**
 * Finds skills that copy the prompt: their descriptions repeat most of it, and their bodies do not support
 * their descriptions. Finds none if there are no more than two. If there are many, some have a body that fits
 * by chance, so then every description that repeats the prompt is a copy.
 */
export function findCopies(corpus: CopyCorpus, query: CopyQuery): Copies {
  if (query.request.distinct < leastTerms) return noCopies;
  const supports = new Map<number, number | undefined>();
  const supportFor = (slot: number): number | undefined => {
    if (!supports.has(slot))
      supports.set(slot, repeatsPrompt(corpus, query, slot) ? supportOf(corpus, slot) : undefined);
    return supports.get(slot);
  };
  const { words, meaning } = query;
  for (const scores of meaning === undefined ? [words] : [words, meaning]) {
    const top = largestOf(scores, firstLook, query.isIncluded, corpus.compare);
    if (top.filter((slot) => supportFor(slot) !== undefined).length <= maxPositions) continue;
    // Copies crowd out other skills, so look further down until enough others are found.
    for (let most = firstPool; ; most *= 4) {
      const pool = largestOf(scores, most, query.isIncluded, corpus.compare);
      const others = pool.filter((slot) => supportFor(slot) === undefined);
      if (pool.length < most || others.length >= firstPool / 2) break;
    }
  }
  const repeating = [...supports].flatMap(([slot, support]) =>
    support === undefined ? [] : [{ slot, support }],
  );
  const unsupported = repeating.filter(({ support }) => support < leastSupport);
  if (unsupported.length <= maxPositions) return noCopies;
  const copies = (unsupported.length > flood ? repeating : unsupported).toSorted(
    (a, b) =>
      Number(corpus.isOwn(b.slot)) - Number(corpus.isOwn(a.slot)) ||
      b.support - a.support ||
      (words[b.slot] ?? 0) - (words[a.slot] ?? 0) ||
      corpus.compare(a.slot, b.slot),
  );
  return {
    all: new Set(copies.map(({ slot }) => slot)),
    surplus: new Set(copies.slice(maxPositions).map(({ slot }) => slot)),
  };
}

/** Whether a description contains most of the different terms of the prompt, or means nearly the same. */
function repeatsPrompt(corpus: CopyCorpus, { request, meaning }: CopyQuery, slot: number): boolean {
  const { index, descriptionOf } = corpus;
  const { terms, distinct } = request;
  if ((meaning?.[slot] ?? 0) >= mostMeaning) return true;
  const least = mostTerms * Math.min(distinct, longestPrompt);
  let indexed = 0;
  index.eachTerm(slot, (id, counts) => {
    if (countIn(counts, description) > 0 && terms.has(id)) indexed++;
  });
  if (indexed >= least) return true;
  if (indexed < least / 3) return false; // Most skills end here, before their description is read again.
  let shared = 0;
  for (const term of new Set(termsOf(descriptionOf(slot)))) {
    const id = index.idOf(term);
    if (id !== undefined && terms.has(id)) shared++;
  }
  return shared >= least;
}

const description = fields.indexOf('description');
const body = fields.indexOf('body');

/**
 * Returns how well the body of a skill supports its description, from 0 to 1: the share of the description
 * that occurs in the body, weighted by rarity, multiplied by the share of the body that the description does
 * not contain. A body that repeats the description supports nothing, and neither does the body of another skill.
 */
function supportOf({ index }: CopyCorpus, slot: number): number {
  let [described, all, found, both, held] = [0, 0, 0, 0, 0];
  index.eachTerm(slot, (id, counts) => {
    const isHeld = countIn(counts, body) > 0;
    if (isHeld) held++;
    if (countIn(counts, description) === 0) return;
    const rarity = index.usualRarityOf(id);
    described++;
    all += rarity;
    if (!isHeld) return;
    found += rarity;
    both++;
  });
  // A description's unsupported terms are not all indexed.
  all += Math.max(0, index.lengthOf(slot, description) - described) * rarest;
  return all === 0 || held === 0 ? 0 : (found / all) * (1 - both / held);
}
