import type { Found } from './scan-state.ts';
import type { WatchState } from './watch-state.ts';

/** The descriptors of bundles whose other files are not what they were. */
export function touchedFiles(found: readonly Found[], { dirty, contents }: WatchState): ReadonlySet<string> {
  if (dirty.isEmpty) return new Set();
  const inDoubt = new Set([...dirty.paths()].flatMap((path) => contents.bundlesAt(path)));
  const isBelowTree = ({ loose, realDir }: Found): boolean => !loose && dirty.has(realDir);
  if (dirty.hasTrees) for (const place of found) if (isBelowTree(place)) inDoubt.add(place.realDir);
  const changed = new Set([...inDoubt].filter((bundle) => contents.hasChanged(bundle)));
  if (changed.size === 0) return new Set();
  return new Set(
    found.filter(({ loose, realDir }) => !loose && changed.has(realDir)).map(({ file }) => file),
  );
}
