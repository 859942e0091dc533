import type { Wanted } from './request.ts';
import { countIn, type fields, type TermIndex } from './term-index.ts';

// One row for each part: what a term is worth there, and how much a long part is held against it (0 not at all, 1 fully).
const tuning = [
  { field: 'name', weight: 6, length: 0.3 },
  { field: 'description', weight: 3, length: 0.4 },
  { field: 'headings', weight: 0.5, length: 0.5 },
  { field: 'body', weight: 0.5, length: 0.5 },
] as const satisfies { readonly field: (typeof fields)[number]; weight: number; length: number }[];

// How fast finding a term again stops to count: over all parts, and in the description alone.
const saturation = 2.5;
const purposeSaturation = 1.2;

/** The scores of all skills by slot: BM25 over weighted fields. */
export function scoreWords(wanted: Wanted, index: TermIndex): Float64Array {
  const scores = new Float64Array(index.slots);
  const { postings } = index;
  for (const [id, worth] of wanted.worth) postings.addTo(scores, id, worth);
  return scores;
}

/** How strongly a skill holds a term, from 0 to 1, for the lengths that there are now. */
export function impactOf(index: TermIndex): (slot: number, counts: number) => number {
  const averages = tuning.map((_, field) => index.averageLength(field));
  return (slot, counts) => {
    let found = 0;
    for (let field = 0; field < tuning.length; field++) {
      const count = countIn(counts, field);
      const { weight = 0, length = 0 } = tuning[field] ?? {};
      if (count > 0)
        found += (weight * count) / (1 - length + (length * index.lengthOf(slot, field)) / (averages[field] ?? 1));
    }
    return found / (saturation + found);
  };
}

/** How strongly the description alone answers what is wanted. */
export function scorePurpose(wanted: Wanted, slot: number, index: TermIndex): number {
  const [, { length }] = tuning;
  const norm = 1 - length + (length * index.lengthOf(slot, 1)) / index.averageLength(1);
  let score = 0;
  index.eachTerm(slot, (id, counts) => {
    const found = countIn(counts, 1) / norm;
    score += ((wanted.worth.get(id) ?? 0) * found) / (purposeSaturation + found);
  });
  return score;
}
