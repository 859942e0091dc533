import { dirname } from 'node:path';
import { childOf } from '../../files/index.ts';
import type { Knowledge } from '../cache/memo.ts';
import type { BundleContents } from './bundle-contents.ts';
import type { Awaited, FolderWatches } from './folder-watches.ts';

/** The state that all parts of a watch share. */
export interface WatchState {
  readonly known: Knowledge;
  readonly dirty: Dirty;
  readonly watches: FolderWatches;
  readonly awaited: Awaited;
  readonly contents: BundleContents;
}

/** Marks a folder, the files directly in it and its watch as possibly outdated. */
export function doubtFolder(dir: string, { known, dirty, watches }: WatchState): void {
  watches.doubt(dir);
  dirty.add(dir);
  for (const name of known.folders.get(dir)?.listing.files ?? []) dirty.add(childOf(dir, name));
}

/** The paths whose cached state may be outdated. */
interface Dirty {
  add(path: string): void;
  /** Adds a folder and everything below it. */
  addTree(dir: string): void;
  has(path: string): boolean;
  readonly isEmpty: boolean;
  /** Whether any folder was added together with everything below it. */
  readonly hasTrees: boolean;
  paths(): Iterable<string>;
  clear(): void;
}

/** Creates an empty set of paths. */
export function noDoubts(): Dirty {
  const paths = new Set<string>();
  const trees = new Set<string>();
  return {
    add: (path) => void paths.add(path),
    addTree: (dir) => void trees.add(dir),
    has: (path) => paths.has(path) || (trees.size > 0 && isBelow(path, trees)),
    get isEmpty() {
      return paths.size === 0 && trees.size === 0;
    },
    get hasTrees() {
      return trees.size > 0;
    },
    paths: () => [...paths, ...trees],
    clear() {
      paths.clear();
      trees.clear();
    },
  };
}

/**
 * Whether a path is in one of the trees. Checks the path's parents, so the time does not depend on the number
 * of trees.
 */
function isBelow(path: string, trees: ReadonlySet<string>): boolean {
  for (let at = path; ; at = dirname(at)) {
    if (trees.has(at)) return true;
    if (dirname(at) === at) return false;
  }
}
