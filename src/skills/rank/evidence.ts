import type { SkillVectors } from './embeddings.ts';
import { fields, purposeImpactOf } from './fields.ts';
import { largestOf } from './largest.ts';
import { pairOf, type Request, type QueryTerms } from './request.ts';
import { end, type Rarities, type TermIndex } from './term-index.ts';

/** The skills from which to choose, prepared for ranking. */
export interface RankCorpus {
  readonly index: TermIndex;
  /** The skills that copy the prompt. The evidence for other skills does not depend on them. */
  readonly copies: ReadonlySet<number>;
  /** The rarities of terms among the other skills. */
  readonly rarities: Rarities;
  descriptionOf(slot: number): string;
  /** Whether the user wrote or chose the skill, so that it comes before a copy from elsewhere. */
  isOwn(slot: number): boolean;
  sentencesOf(slot: number): Sentences;
  /** Orders skills with equal scores. */
  compare(a: number, b: number): number;
  readonly meanings: SkillVectors | undefined;
}

/** A candidate skill, with its evidence. */
export interface Considered {
  readonly slot: number;
  /** The candidate's score for words that it shares with the prompt. */
  readonly words: number;
  readonly evidence: Evidence;
}

/** The scores of all skills, indexed by slot. */
interface Scored {
  /** The minimum number of candidates by words. */
  readonly atLeast?: number | undefined;
  /** The scores for words that skills share with the prompt. */
  readonly words: Float64Array;
  /** The similarities between the prompt and descriptions. */
  readonly meaning: Float64Array | undefined;
  readonly vector: Int8Array | undefined;
}

const maxByWords = 60;
const maxByMeaning = 40;
const askCounts = 0.5; // The extra weight of a word in a sentence that makes a request.

/**
 * Selects the skills that share the most words with the prompt, and the skills whose meaning is most similar
 * to it.
 */
export function consider(
  corpus: RankCorpus,
  request: Request,
  isIncluded: (slot: number) => boolean,
  { atLeast = 0, words, meaning, vector }: Scored,
): readonly Considered[] {
  const { index, meanings } = corpus;
  const ask = scoreWords(request.ask, index);
  const both = words.map((score, slot) => score + askCounts * (ask[slot] ?? 0));
  const slots = new Set(largestOf(both, Math.max(maxByWords, atLeast), isIncluded, corpus.compare));
  if (meaning !== undefined && meanings?.isComplete === true)
    for (const slot of largestOf(meaning, maxByMeaning, isIncluded, corpus.compare)) slots.add(slot);
  const others = [...slots].filter((slot) => !corpus.copies.has(slot));
  const honest = others.length === 0 ? [...slots] : others;
  const most = {
    maxWords: honest.reduce((largest, slot) => Math.max(largest, words[slot] ?? 0), 0),
    maxAsk: honest.reduce((largest, slot) => Math.max(largest, ask[slot] ?? 0), 0),
  };
  return [...slots].map((slot) => ({
    slot,
    words: words[slot] ?? 0,
    evidence: evidenceFor(slot, corpus, request, {
      ...most,
      words: words[slot] ?? 0,
      ask: ask[slot] ?? 0,
      meaning: meaning?.[slot] ?? 0,
      nameMeaning: vector === undefined ? 0 : (meanings?.nearness('name', slot, vector) ?? 0),
    }),
  }));
}

/** Returns the scores of all skills for these terms, indexed by slot. */
export function scoreWords(terms: QueryTerms, index: TermIndex): Float64Array {
  const scores = new Float64Array(index.slots);
  const { postings } = index;
  for (const [id, worth] of terms.worth) postings.addTo(scores, id, worth);
  return scores;
}

/** Returns the score of a skill's description for these terms. */
export function scorePurpose(terms: QueryTerms, slot: number, index: TermIndex): number {
  let score = 0;
  index.eachTerm(slot, (id, counts) => {
    score += (terms.worth.get(id) ?? 0) * purposeImpactOf(slot, counts, index);
  });
  return score;
}

/**
 * The evidence that a skill applies. The numbers are comparable between prompts and between collections of
 * skills.
 */
export interface Evidence {
  /** The score for shared words, relative to the best candidate's score. */
  readonly words: number;
  /** The score for shared words, relative to the highest possible score. */
  readonly share: number;
  /** The share of the prompt's terms that occur anywhere in the skill, weighted by rarity. */
  readonly coverage: number;
  /** The share of the name's terms that occur in the prompt, weighted by rarity. */
  readonly name: number;
  /** 1 if the prompt contains the full name, else 0. */
  readonly wholeName: number;
  /** The score for the sentences that make a request, relative to the best candidate's score. */
  readonly ask: number;
  /** The score for pairs of terms that are adjacent both in the prompt and in the skill. */
  readonly pairs: number;
  /** A number near 1 for a skill with little text, and near 0 for a skill with a long text. */
  readonly thin: number;
  readonly thinWords: number;
  /** The similarity between the prompt and the description. */
  readonly meaning: number;
  /** The similarity between the prompt and the name. */
  readonly nameMeaning: number;
  readonly thinMeaning: number;
}

/**
 * The numbers of the terms in a skill's name and in its sentences. `end` marks the end of the name and of
 * each sentence.
 */
export type Sentences = Uint32Array;

/** The scores from which the evidence for a skill is computed. */
interface Scores {
  readonly words: number;
  readonly maxWords: number;
  readonly ask: number;
  readonly maxAsk: number;
  readonly meaning: number;
  readonly nameMeaning: number;
}

/** Returns the evidence for a skill. */
function evidenceFor(
  slot: number,
  { index, rarities, sentencesOf }: RankCorpus,
  request: Request,
  scores: Scores,
): Evidence {
  const sentences = sentencesOf(slot);
  const words = scores.maxWords === 0 ? 0 : scores.words / scores.maxWords;
  const name = nameShare(sentences, request, rarities);
  const thin = Math.exp(-lengthOf(slot, index) / 50);
  return {
    words,
    share: scores.words / (request.whole.total || 1),
    coverage: coverageOf(slot, request, index),
    name,
    wholeName: name > 0.999 ? 1 : 0,
    ask: scores.maxAsk === 0 ? 0 : scores.ask / scores.maxAsk,
    pairs: Math.log1p(pairsIn(sentences, request)),
    thin,
    thinWords: thin * words,
    meaning: scores.meaning,
    nameMeaning: scores.nameMeaning,
    thinMeaning: thin * scores.meaning,
  };
}

/** Returns the share of the prompt's terms that occur anywhere in a skill. */
function coverageOf(slot: number, { whole }: Request, index: TermIndex): number {
  let found = 0;
  index.eachTerm(slot, (id) => (found += whole.worth.get(id) ?? 0));
  return found / (whole.total || 1);
}

/**
 * Returns a score for how well the best sentence of a skill matches the prompt. The score is 1 if all terms
 * match.
 */
export function bestSentence(sentences: Sentences, { whole }: Request, rarities: Rarities): number {
  let best = 0;
  for (const sentence of listsIn(sentences).slice(1)) {
    let [shared, square] = [0, 0];
    for (const id of new Set(sentence)) {
      const weight = rarities.rarityOf(id) ** 2;
      square += weight;
      if (whole.worth.has(id)) shared += weight;
    }
    if (square > 0) best = Math.max(best, shared / Math.sqrt(square * (whole.square || 1)));
  }
  return best;
}

function lengthOf(slot: number, index: TermIndex): number {
  return fields.reduce((sum, _, field) => sum + index.lengthOf(slot, field), 0);
}

function nameShare(sentences: Sentences, { terms }: Request, rarities: Rarities): number {
  let [all, found] = [0, 0];
  for (const id of new Set(sentences.subarray(0, sentences.indexOf(end)))) {
    const weight = rarities.rarityOf(id);
    all += weight;
    if (terms.has(id)) found += weight;
  }
  return all === 0 ? 0 : found / all;
}

function pairsIn(sentences: Sentences, { pairs }: Request): number {
  const seen = new Set<number>();
  let sum = 0;
  for (let position = 0; position + 1 < sentences.length; position++) {
    const pair = pairOf(sentences[position] ?? end, sentences[position + 1] ?? end);
    const worth = pairs.get(pair);
    if (worth === undefined || seen.has(pair)) continue;
    seen.add(pair);
    sum += worth;
  }
  return sum;
}

function listsIn(sentences: Sentences): readonly Uint32Array[] {
  const lists: Uint32Array[] = [];
  let start = 0;
  sentences.forEach((id, position) => {
    if (id !== end) return;
    lists.push(sentences.subarray(start, position));
    start = position + 1;
  });
  return lists;
}
