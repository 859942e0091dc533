import { bestSentence, scorePurpose, type Considered, type Evidence, type RankCorpus } from './evidence.ts';
import type { Request } from './request.ts';

/** The weight of each piece of evidence and each signal, and the minimum confidence for a skill to apply. */
export interface Weights {
  readonly evidence: Readonly<Record<keyof Evidence, number>>;
  readonly signs: Readonly<Record<keyof Signs, number>>;
  /** The minimum confidence for any skill to apply. */
  readonly threshold: number;
}

/** Returns the weighted sum of the given values. */
export function weigh<Name extends string>(
  found: Readonly<Record<Name, number>>,
  weights: Readonly<Record<Name, number>>,
): number {
  let sum = 0;
  for (const name in weights) sum += found[name] * weights[name];
  return sum;
}

/** The signals that decide whether any skill applies, computed for the best candidate. */
export interface Signs {
  /** The score for matching words, multiplied by the share of the prompt they cover. */
  readonly amount: number;
  /** The score of the candidate's description on its own. */
  readonly purpose: number;
  /**
   * The score of the candidate's best sentence. Lowers the confidence, because short prompts match easily.
   */
  readonly sentence: number;
  /** The share of the candidate's name that occurs in the prompt. */
  readonly name: number;
  /** The score for the sentences of the prompt that make a request, relative to other candidates. */
  readonly ask: number;
  /** Set to 1 if the prompt is a general question, else 0. */
  readonly general: number;
  /** The similarity between the prompt and the candidate's name. */
  readonly nameMeaning: number;
  /** The similarity between the prompt and the nearest body. Shows whether any skill covers the subject. */
  readonly nearest: number;
  /** The average similarity of the nearest bodies, which shows whether the skills cover the subject. */
  readonly surroundings: number;
  /** A value near 1 for a skill with few words, since such a skill has few words that can match. */
  readonly thin: number;
  /** The logarithm of the number of skills. In a large collection, some skill always matches slightly. */
  readonly crowd: number;
  /** The constant term, which is always 1. */
  readonly always: number;
}

const neighbours = 5;

/** Computes the signals for the best candidate. */
export function signsFor(
  best: Considered,
  considered: readonly Considered[],
  corpus: RankCorpus,
  request: Request,
  vector: Int8Array | undefined,
): Signs {
  const { index, meanings } = corpus;
  const near = considered
    .map(({ slot }) => (vector === undefined ? 0 : (meanings?.nearness('opening', slot, vector) ?? 0)))
    .sort((a, b) => b - a)
    .slice(0, neighbours);
  return {
    amount: best.evidence.coverage * Math.log1p(best.words),
    purpose: Math.log1p(scorePurpose(request.whole, best.slot, index)),
    sentence: bestSentence(corpus.sentencesOf(best.slot), request, index),
    name: best.evidence.name,
    ask: best.evidence.ask,
    general: request.isGeneralQuestion ? 1 : 0,
    nameMeaning: best.evidence.nameMeaning,
    nearest: near[0] ?? 0,
    surroundings: near.reduce((sum, each) => sum + each, 0) / neighbours,
    thin: best.evidence.thin,
    crowd: Math.log(index.size),
    always: 1,
  };
}
