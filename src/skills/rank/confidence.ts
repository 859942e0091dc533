import { bestSentence, scorePurpose, type Considered, type Evidence, type RankCorpus } from './evidence.ts';
import type { Request } from './request.ts';

/** The weights of evidence and signals, and the minimum confidence at which a skill applies. */
export interface Weights {
  readonly evidence: EvidenceWeights;
  /** The weights of evidence in a collection of few skills. Without it, the same as in large collections. */
  readonly few?: EvidenceWeights | undefined;
  /** The weights of evidence for words alone, which decide a clear case among few skills. */
  readonly plain?: EvidenceWeights | undefined;
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
  const share = largeness(size);
  if (small === undefined || share >= 1) return evidence;
  const mixed = { ...evidence };
  for (const name in mixed) {
    const key = name as keyof Evidence;
    mixed[key] = share * evidence[key] + (1 - share) * small[key];
  }
  return mixed;
}

/** Returns 0 for a collection of few skills, 1 for one of many, and the share between them otherwise. */
function largeness(size: number): number {
  return Math.min(1, Math.log(Math.max(size, few) / few) / Math.log(many / few));
}

// Learned from small collections of other sources: meaning is right more often than words only if the words leave
// room, and if the description is nearer to the prompt, not only the name.
const clearLead = 1.5;
const leastNearer = 0.05;
const leastTrust = 0.2;

/**
 * Returns the candidate that stays first among few skills although another is stronger by words and meaning
 * together: the first by words alone, if its lead is clear or the description of the other is hardly nearer to the
 * prompt. Returns undefined if the order can stay. `candidates` must be sorted, strongest first.
 */
export function firstByWords<Item extends Pick<Considered, 'evidence'>>(
  candidates: readonly Item[],
  { plain }: Weights,
  size: number,
): Item | undefined {
  const [best] = candidates;
  if (plain === undefined || size >= many || best === undefined) return undefined;
  const strengths = candidates.map(({ evidence }) => weigh(evidence, plain));
  const [first = 0, second = -Infinity] = strengths.toSorted((a, b) => b - a);
  const own = candidates[strengths.indexOf(first)];
  if (own === undefined || own === best) return undefined;
  // Words say less about a skill with little text.
  const trust = (1 - largeness(size)) * (1 - own.evidence.thin);
  if (trust < leastTrust) return undefined;
  const nearer = best.evidence.meaning - own.evidence.meaning;
  return (first - second) * trust > clearLead || nearer < leastNearer * trust ? own : undefined;
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
