import { bestSentence, scorePurpose, type Considered, type Evidence, type RankCorpus } from './evidence.ts';
import type { Request } from './request.ts';

/** How much each piece of evidence counts, and from which confidence on a skill applies. */
export interface Weights {
  readonly evidence: Readonly<Record<keyof Evidence, number>>;
  readonly signs: Readonly<Record<keyof Signs, number>>;
  /** Below it no skill applies. */
  readonly threshold: number;
}

/** The sum of what is found, each times its weight. */
export function weigh<Name extends string>(
  found: Readonly<Record<Name, number>>,
  weights: Readonly<Record<Name, number>>,
): number {
  let sum = 0;
  for (const name in weights) sum += found[name] * weights[name];
  return sum;
}

/** What tells whether any skill applies at all, looked at for the one that fits best. */
export interface Signs {
  /** How much was found, times how much of the prompt it covers. */
  readonly amount: number;
  /** How much the description alone answers. */
  readonly purpose: number;
  /** How well its best sentence agrees; it counts against the skill, for a short prompt agrees easily. */
  readonly sentence: number;
  /** The part of its name that stands in the prompt. */
  readonly name: number;
  /** How much of the asking sentences it answers, against the other candidates. */
  readonly ask: number;
  /** 1 for a question about the world. */
  readonly general: number;
  /** Nearness of prompt and name. */
  readonly nameMeaning: number;
  /** How near the nearest body is: whether a skill here knows the subject. */
  readonly nearest: number;
  /** The same for the few nearest bodies: whether it is a subject of these skills. */
  readonly surroundings: number;
  /** Near 1 for a skill of few words, which can share few. */
  readonly thin: number;
  /** How many skills there are, as a logarithm: among many, something always fits a little. */
  readonly crowd: number;
  /** 1: what holds before anything is looked at. */
  readonly always: number;
}

const neighbours = 5;

/** Reads the signs for the best candidate among all that were considered. */
export function signsFor(
  best: Considered,
  considered: readonly Considered[],
  shelf: RankCorpus,
  request: Request,
  vector: Int8Array | undefined,
): Signs {
  const { index, meanings } = shelf;
  const near = considered
    .map(({ slot }) => (vector === undefined ? 0 : (meanings?.nearness('opening', slot, vector) ?? 0)))
    .sort((a, b) => b - a)
    .slice(0, neighbours);
  return {
    amount: best.evidence.coverage * Math.log1p(best.words),
    purpose: Math.log1p(scorePurpose(request.whole, best.slot, index)),
    sentence: bestSentence(shelf.sentencesOf(best.slot), request, index),
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
