import { closeTo } from '../../src/run/routing/candidates.ts';
import { share } from './metrics.ts';
import type { Prepared } from './prepared.ts';

/** How often the ranking decides alone, and how often the right skill is found if a model decides the rest. */
export interface Deferral {
  /** The share of prompts that the ranking decides alone, and the share of these that are right. */
  readonly alone: number;
  readonly aloneRight: number;
  /** The share of the other prompts whose right skill is among the candidates for the model. */
  readonly among: number;
  /** The share of all prompts that end at the right skill with a model that always chooses correctly. */
  readonly right: number;
}

/** Measures routing with an oracle: a model that names the right skill whenever it is among the candidates. */
export function deferral({ collection, ranker, vectors }: Prepared): Deferral {
  const decided = collection.queries.map(({ query, relevant }) => {
    const close = closeTo(ranker.rank(query, { limit: 10, vector: vectors.get(query) }).ranked);
    return { isAlone: close.length < 2, isRight: close.some(({ key }) => relevant.includes(key)) };
  });
  const alone = decided.filter(({ isAlone }) => isAlone);
  const isRight = (one: { readonly isRight: boolean }): boolean => one.isRight;
  return {
    alone: alone.length / decided.length,
    aloneRight: share(alone, isRight),
    among: share(
      decided.filter(({ isAlone }) => !isAlone),
      isRight,
    ),
    right: share(decided, isRight),
  };
}
