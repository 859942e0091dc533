import type { Family } from './family.ts';

/** The family that a skill belongs to; undefined when it is not among these. */
export function familyOf(
  families: readonly Family[],
  skill: { readonly family: string } | undefined,
): Family | undefined {
  return families.find(({ id }) => id === skill?.family);
}
