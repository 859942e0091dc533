import { purposeImpactOf } from './impact.ts';
import type { Wanted } from './request.ts';
import type { TermIndex } from './term-index.ts';

/** How much of what is wanted each skill holds, by slot. */
export function scoreWords(wanted: Wanted, index: TermIndex): Float64Array {
  const scores = new Float64Array(index.slots);
  const { postings } = index;
  for (const [id, worth] of wanted.worth) postings.addTo(scores, id, worth);
  return scores;
}

/** How much of what is wanted the description of one skill holds. */
export function scorePurpose(wanted: Wanted, slot: number, index: TermIndex): number {
  let score = 0;
  index.eachTerm(slot, (id, counts) => {
    score += (wanted.worth.get(id) ?? 0) * purposeImpactOf(slot, counts, index);
  });
  return score;
}
