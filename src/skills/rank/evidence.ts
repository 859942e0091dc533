import { largestOf, type SkillVectors } from './embeddings.ts';
import { fields, purposeImpactOf } from './fields.ts';
import { pairOf, type Request, type QueryTerms } from './request.ts';
import type { TermIndex } from './term-index.ts';

/** Everything that is known of the skills among which to choose. */
export interface RankCorpus {
  readonly index: TermIndex;
  sentencesOf(slot: number): Sentences;
  /** The order of what is equal otherwise. */
  compare(a: number, b: number): number;
  readonly meanings: SkillVectors | undefined;
}

/** A skill that may be meant, and what speaks for it. */
export interface Considered {
  readonly slot: number;
  /** How much was found of the prompt's words. */
  readonly words: number;
  readonly evidence: Evidence;
}

const mostByWords = 60;
const mostByMeaning = 40;
const askCounts = 0.5; // what a word in an asking sentence counts on top

/** The skills worth a closer look: where most words are found, and those that are nearest in meaning. */
export function consider(
  shelf: RankCorpus,
  request: Request,
  isWanted: (slot: number) => boolean,
  { atLeast = 0, vector }: { readonly atLeast?: number | undefined; readonly vector?: Int8Array | undefined },
): readonly Considered[] {
  const { index, meanings } = shelf;
  const words = scoreWords(request.whole, index);
  const ask = scoreWords(request.ask, index);
  const both = words.map((score, slot) => score + askCounts * (ask[slot] ?? 0));
  const slots = new Set(largestOf(both, Math.max(mostByWords, atLeast), isWanted, shelf.compare));
  if (vector !== undefined && meanings !== undefined)
    for (const slot of meanings.nearest(vector, mostByMeaning, isWanted, shelf.compare)) slots.add(slot);
  const most = {
    mostWords: words.reduce((largest, score) => Math.max(largest, score), 0),
    mostAsk: [...slots].reduce((largest, slot) => Math.max(largest, ask[slot] ?? 0), 0),
  };
  return [...slots].map((slot) => ({
    slot,
    words: words[slot] ?? 0,
    evidence: evidenceFor(slot, shelf.sentencesOf(slot), request, index, {
      ...most,
      words: words[slot] ?? 0,
      ask: ask[slot] ?? 0,
      meaning: vector === undefined ? 0 : (meanings?.nearness('description', slot, vector) ?? 0),
      nameMeaning: vector === undefined ? 0 : (meanings?.nearness('name', slot, vector) ?? 0),
    }),
  }));
}

/** How much of what is wanted each skill holds, by slot. */
function scoreWords(wanted: QueryTerms, index: TermIndex): Float64Array {
  const scores = new Float64Array(index.slots);
  const { postings } = index;
  for (const [id, worth] of wanted.worth) postings.addTo(scores, id, worth);
  return scores;
}

/** How much of what is wanted the description of one skill holds. */
export function scorePurpose(wanted: QueryTerms, slot: number, index: TermIndex): number {
  let score = 0;
  index.eachTerm(slot, (id, counts) => {
    score += (wanted.worth.get(id) ?? 0) * purposeImpactOf(slot, counts, index);
  });
  return score;
}

/** What speaks for a skill; every number is comparable between prompts and between collections of skills. */
export interface Evidence {
  /** Words found, against the skill where most are found. */
  readonly words: number;
  /** Words found, against all that could be. */
  readonly share: number;
  /** The part of the prompt's terms that stand anywhere in the skill, by rarity. */
  readonly coverage: number;
  /** The part of the name's terms that stand in the prompt, by rarity. */
  readonly name: number;
  /** 1 when the whole name stands in the prompt. */
  readonly wholeName: number;
  /** Words of the asking sentences found, against the candidate where most are. */
  readonly ask: number;
  /** Terms that stand side by side in both. */
  readonly pairs: number;
  /** Near 1 for a skill of few words, near 0 for one with a body. */
  readonly thin: number;
  readonly thinWords: number;
  /** Nearness of prompt and description. */
  readonly meaning: number;
  /** Nearness of prompt and name. */
  readonly nameMeaning: number;
  readonly thinMeaning: number;
}

/** The terms of a skill's name and sentences, by number, each list ended by `end`. */
export type Sentences = Uint32Array;

/** What ends a list of terms. */
export const end = 0xffff_ffff;

/** The scores that the evidence for one skill is made of. */
interface Scores {
  readonly words: number;
  readonly mostWords: number;
  readonly ask: number;
  readonly mostAsk: number;
  readonly meaning: number;
  readonly nameMeaning: number;
}

/** Weighs what speaks for one skill. */
function evidenceFor(
  slot: number,
  sentences: Sentences,
  request: Request,
  index: TermIndex,
  scores: Scores,
): Evidence {
  const words = scores.mostWords === 0 ? 0 : scores.words / scores.mostWords;
  const name = nameShare(sentences, request, index);
  const thin = Math.exp(-lengthOf(slot, index) / 50);
  return {
    words,
    share: scores.words / (request.whole.total || 1),
    coverage: coverageOf(slot, request, index),
    name,
    wholeName: name > 0.999 ? 1 : 0,
    ask: scores.mostAsk === 0 ? 0 : scores.ask / scores.mostAsk,
    pairs: Math.log1p(pairsIn(sentences, request)),
    thin,
    thinWords: thin * words,
    meaning: scores.meaning,
    nameMeaning: scores.nameMeaning,
    thinMeaning: thin * scores.meaning,
  };
}

/** The part of what is wanted that stands anywhere in a skill. */
function coverageOf(slot: number, { whole }: Request, index: TermIndex): number {
  let found = 0;
  index.eachTerm(slot, (id) => (found += whole.worth.get(id) ?? 0));
  return found / (whole.total || 1);
}

/** How well the one sentence that fits best agrees with the prompt: 1 when they hold the same terms. */
export function bestSentence(sentences: Sentences, { whole }: Request, index: TermIndex): number {
  let best = 0;
  for (const sentence of listsIn(sentences).slice(1)) {
    let [shared, square] = [0, 0];
    for (const id of new Set(sentence)) {
      const weight = index.rarityOf(id) ** 2;
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

function nameShare(sentences: Sentences, { terms }: Request, index: TermIndex): number {
  let [all, found] = [0, 0];
  for (const id of new Set(sentences.subarray(0, sentences.indexOf(end)))) {
    const weight = index.rarityOf(id);
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
