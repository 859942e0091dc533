import { compareText } from '../collisions.ts';
import type { CatalogEntry } from './entry.ts';
import { partOf, type Part } from './part.ts';
import { shownName } from './shown-text.ts';

/** The skills that want to be in a catalog, in the order in which a reader sees them. */
export interface Candidates {
  readonly entries: readonly CatalogEntry[];
  /** The element of an entry by its index, made when first asked for: most of ten thousand are never shown. */
  part(index: number): Part;
}

/** Sorts entries by name in code units; what is equal in that goes by whatever else tells it apart. */
export function candidatesOf(entries: readonly CatalogEntry[]): Candidates {
  const sorted = entries
    .map((entry) => ({ entry, name: shownName(entry.name) }))
    .sort((a, b) => compareText(a.name, b.name) || compareEntries(a.entry, b.entry))
    .map(({ entry }) => entry);
  const parts: (Part | undefined)[] = [];
  return {
    entries: sorted,
    part(index) {
      const entry = sorted[index];
      if (entry === undefined) throw new RangeError(`There is no entry ${index}.`);
      return (parts[index] ??= partOf(entry));
    },
  };
}

function compareEntries(a: CatalogEntry, b: CatalogEntry): number {
  return (
    compareText(a.name, b.name) ||
    compareText(a.location, b.location) ||
    compareText(a.description, b.description) ||
    compareText(a.whenToUse ?? '', b.whenToUse ?? '') ||
    Number(b.always === true) - Number(a.always === true)
  );
}
