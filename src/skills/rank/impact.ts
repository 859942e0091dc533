import { countIn, type Field, type Lengths } from './counts.ts';

// One row for each part: what a term is worth there, how many terms are usual, and how much more than that is held
// against it (0 not at all, 1 fully). What is usual is fixed: skills that say too much must not make it usual.
const tuning = [
  { field: 'name', weight: 6, usual: 2.6, length: 0.3 },
  { field: 'description', weight: 3, usual: 24, length: 0.4 },
  { field: 'headings', weight: 0.5, usual: 36, length: 0.5 },
  { field: 'body', weight: 0.5, usual: 209, length: 0.5 },
] as const satisfies { readonly field: Field; weight: number; usual: number; length: number }[];
const description = 1;

// How fast finding a term again stops to count: over all parts, and in the description alone.
const saturation = 2.5;
const purposeSaturation = 1.2;

/** How strongly a skill holds a term, from 0 to 1: BM25 over weighted parts. */
export function impactOf(slot: number, counts: number, lengths: Lengths): number {
  let found = 0;
  for (let field = 0; field < tuning.length; field++) {
    const count = countIn(counts, field);
    if (count > 0) found += ((tuning[field]?.weight ?? 0) * count) / normOf(slot, field, lengths);
  }
  return found / (saturation + found);
}

/** The same for the description alone. */
export function purposeImpactOf(slot: number, counts: number, lengths: Lengths): number {
  const found = countIn(counts, description) / normOf(slot, description, lengths);
  return found / (purposeSaturation + found);
}

function normOf(slot: number, field: number, lengths: Lengths): number {
  const { length = 0, usual = 1 } = tuning[field] ?? {};
  return 1 - length + (length * lengths.lengthOf(slot, field)) / usual;
}
