import { bestSentence, scorePurpose, type Considered, type Evidence, type RankCorpus } from './evidence.ts';
import type { Request } from './request.ts';

/** The weights of evidence and signals, and the minimum confidence at which a skill applies. */
export interface Weights {
  readonly evidence: EvidenceWeights;
  /** The weights of evidence in a collection of few skills. Without it, the same as in large collections. */
  readonly few?: EvidenceWeights | undefined;
  readonly signs: Readonly<Record<keyof Signs, number>>;
  /** The minimum confidence at which a skill applies. */
  readonly threshold: number;
}

type EvidenceWeights = Readonly<Record<keyof Evidence, number>>;

// `few` is learned from collections of up to this size, and `evidence` from collections of at least `many`.
const few = 30;
const many = 300;

/** Returns the weights of evidence in a collection. Between few and many skills, they change gradually. */
export function evidenceWeights({ evidence, few: small }: Weights, size: number): EvidenceWeights {
  const share = Math.log(Math.max(size, few) / few) / Math.log(many / few);
  if (small === undefined || share >= 1) return evidence;
  const mixed = { ...evidence };
  for (const name in mixed) {
    const key = name as keyof Evidence;
    mixed[key] = share * evidence[key] + (1 - share) * small[key];
  }
  return mixed;
}

/** Returns the sum of the values, each multiplied by its weight. */
export function weigh<Name extends string>(
  found: Readonly<Record<Name, number>>,
  weights: Readonly<Record<Name, number>>,
): number {
  let sum = 0;
  for (const name in weights) sum += found[name] * weights[name];
  return sum;
}

/** Signals that determine whether any skill applies to a prompt. They are computed for the best candidate. */
export interface Signs {
  /**
   * The candidate's score for shared words, multiplied by the share of the prompt that these words make up.
   */
  readonly amount: number;
  /** The score of the candidate's description alone. */
  readonly purpose: number;
  /**
   * The score of the candidate's best sentence. A high score lowers the confidence, because a short prompt
   * easily matches a sentence by chance.
   */
  readonly sentence: number;
  /** The share of the candidate's name that occurs in the prompt. */
  readonly name: number;
  /** The candidate's score for the sentences that make a request, relative to other candidates. */
  readonly ask: number;
  /** 1 if the prompt is a general question, else 0. */
  readonly general: number;
  /** The similarity between the prompt and the candidate's name. */
  readonly nameMeaning: number;
  /**
   * The highest similarity between the prompt and a skill's body. It shows whether any skill covers the
   * subject.
   */
  readonly nearest: number;
  /**
   * The average similarity between the prompt and the nearest bodies. It shows how well the skills cover the
   * subject.
   */
  readonly surroundings: number;
  /** A number near 1 if the candidate has few words, so there is little text to match. */
  readonly thin: number;
  /**
   * The logarithm of the number of skills, because a large collection always contains some skill that matches
   * a little.
   */
  readonly crowd: number;
  /** Always 1. Its weight is the constant term of the sum. */
  readonly always: number;
}

/** The number of skills whose bodies show how well a subject is covered. */
export const neighbours = 5;

/** Returns the signals for the best candidate. */
export function signsFor(
  best: Considered,
  considered: readonly Considered[],
  corpus: RankCorpus,
  request: Request,
  vector: Int8Array | undefined,
): Signs {
  const { index, rarities, meanings } = corpus;
  const near = considered
    .map(({ slot }) => (vector === undefined ? 0 : (meanings?.nearness('opening', slot, vector) ?? 0)))
    .sort((a, b) => b - a)
    .slice(0, neighbours);
  return {
    amount: best.evidence.coverage * Math.log1p(best.words),
    purpose: Math.log1p(scorePurpose(request.whole, best.slot, index)),
    sentence: bestSentence(corpus.sentencesOf(best.slot), request, rarities),
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
