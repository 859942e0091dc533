/** The parts of a skill that are searched, each with a weight of its own. */
export const fields = ['name', 'description', 'headings', 'body'] as const;

/** One of the searched parts. */
export type Field = (typeof fields)[number];

/** The terms of a skill, part by part. */
export type FieldTerms = Readonly<Record<Field, readonly string[]>>;

/** How long the parts of skills are, in terms; parts by their number. */
export interface Lengths {
  lengthOf(slot: number, field: number): number;
}

// How often a term stands in each part, packed into one number; more than the most counts as the most.
const layout = [
  { shift: 0, most: 7 },
  { shift: 3, most: 127 },
  { shift: 10, most: 255 },
  { shift: 18, most: 1023 },
] as const;

/** How often a term stands in a part of its skill, by the number of the part. */
export function countIn(counts: number, field: number): number {
  const { shift, most } = layout[field] ?? layout[0];
  return (counts >>> shift) & most;
}

/** The counts with one more in a part. */
export function increased(counts: number, field: number): number {
  const { shift, most } = layout[field] ?? layout[0];
  return countIn(counts, field) < most ? counts + 2 ** shift : counts;
}
