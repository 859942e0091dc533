import { basename } from 'node:path';
import { childOf } from '../../files/index.ts';
import type { Memo } from '../cache/memo.ts';
import { discoveredAt, type Discovered } from '../discover/discover.ts';
import type { RootedCandidate } from '../discover/scan-state.ts';
import type { DiskEdits } from '../disk-skills.ts';
import type { WatchState } from './state.ts';

/** The skills that a check of the disk found, and where they are in the list. */
export interface FoundSkills {
  readonly discovered: readonly Discovered[];
  /** The indexes in `discovered`, keyed by the descriptor's path in its real folder and by its real path. */
  readonly positions: ReadonlyMap<string, number>;
  /** Whether each descriptor of the scan was read and is in `discovered`. */
  readonly isWhole: boolean;
}

/** Returns the indexes of skills by the paths of their descriptors. */
export function positionsOf(discovered: readonly Discovered[]): ReadonlyMap<string, number> {
  const positions = new Map<string, number>();
  for (const [index, { found }] of discovered.entries()) {
    positions.set(found.realFile, index);
    if (found.file !== found.realFile) positions.set(childOf(found.realDir, basename(found.file)), index);
  }
  return positions;
}

/**
 * Reads only the descriptors that may have changed, so that the time does not depend on the number of skills.
 * Returns undefined if a change may affect which other descriptors count.
 */
export function lookAtEdits(
  { discovered, positions, isWhole }: FoundSkills,
  { state, memo }: { readonly state: WatchState; readonly memo: Memo },
): { readonly discovered: readonly Discovered[]; readonly edits: DiskEdits } | undefined {
  if (!isWhole) return undefined;
  const isKnown = ({ realFile }: RootedCandidate): boolean => state.known.files.has(realFile);
  const edited = new Map<number, Discovered>();
  for (const path of state.dirty.paths()) {
    const index = positions.get(path);
    const before = index === undefined ? undefined : discovered[index];
    if (index === undefined || before === undefined) continue;
    const draft = memo.read(before.found);
    if (draft?.usable !== before.draft.usable || !isKnown(before.found)) return undefined;
    if (draft.card !== before.draft.card) edited.set(index, discoveredAt(before.found, draft));
  }
  if (edited.size === 0) return { discovered, edits: { base: discovered, indexes: [] } };
  const next = [...discovered];
  for (const [index, one] of edited) next[index] = one;
  return { discovered: next, edits: { base: discovered, indexes: [...edited.keys()] } };
}

/** Returns the indexes of the skills in whose bundles a file other than the descriptor has changed. */
export function touchedSkills(
  { discovered, positions, isWhole }: FoundSkills,
  { dirty, contents, known }: WatchState,
): readonly number[] {
  if (dirty.isEmpty) return [];
  const inDoubt = new Set([...dirty.paths()].flatMap((path) => contents.bundlesAt(path)));
  const isBelowTree = ({ loose, realDir }: RootedCandidate): boolean => !loose && dirty.has(realDir);
  if (dirty.hasTrees) for (const { found } of discovered) if (isBelowTree(found)) inDoubt.add(found.realDir);
  const changed = new Set([...inDoubt].filter((bundle) => contents.hasChanged(bundle)));
  if (changed.size === 0) return [];
  const namesIn = (dir: string): readonly string[] => {
    const { files = [], links = [] } = known.folders.get(dir)?.listing ?? {};
    return [...files, ...links];
  };
  const indexes = isWhole
    ? [...changed].flatMap((dir) => namesIn(dir).flatMap((name) => positions.get(childOf(dir, name)) ?? []))
    : [...discovered.keys()];
  return indexes.filter((index) => {
    const found = discovered[index]?.found;
    return found?.loose === false && changed.has(found.realDir);
  });
}
