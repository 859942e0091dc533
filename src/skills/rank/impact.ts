import { countIn, type fields, type Lengths } from './counts.ts';

// One row for each part: what a term is worth there, and how much a long part is held against it (0 not at all, 1 fully).
const tuning = [
  { field: 'name', weight: 6, length: 0.3 },
  { field: 'description', weight: 3, length: 0.4 },
  { field: 'headings', weight: 0.5, length: 0.5 },
  { field: 'body', weight: 0.5, length: 0.5 },
] as const satisfies { readonly field: (typeof fields)[number]; weight: number; length: number }[];
const description = 1;

// How fast finding a term again stops to count: over all parts, and in the description alone.
const saturation = 2.5;
const purposeSaturation = 1.2;

/** How strongly a skill holds a term, from 0 to 1: BM25 over weighted parts, for the lengths that there are now. */
export function impactIn(lengths: Lengths): (slot: number, counts: number) => number {
  const averages = tuning.map((_, field) => lengths.averageLength(field));
  return (slot, counts) => {
    let found = 0;
    for (let field = 0; field < tuning.length; field++) {
      const count = countIn(counts, field);
      const { weight = 0, length = 0 } = tuning[field] ?? {};
      const relative = lengths.lengthOf(slot, field) / (averages[field] ?? 1);
      if (count > 0) found += (weight * count) / (1 - length + length * relative);
    }
    return found / (saturation + found);
  };
}

/** The same for the description alone. */
export function purposeImpactIn(lengths: Lengths): (slot: number, counts: number) => number {
  const { length } = tuning[description];
  const average = lengths.averageLength(description);
  return (slot, counts) => {
    const found =
      countIn(counts, description) / (1 - length + (length * lengths.lengthOf(slot, description)) / average);
    return found / (purposeSaturation + found);
  };
}
