import { dirname } from 'node:path';
import { childOf } from '../../files/index.ts';
import type { Knowledge } from '../cache/memo.ts';
import type { BundleContents } from './bundle-contents.ts';
import type { Awaited, FolderWatches } from './folder-watches.ts';

/** What the parts of a watch share. */
export interface WatchState {
  readonly known: Knowledge;
  readonly dirty: Dirty;
  readonly watches: FolderWatches;
  readonly awaited: Awaited;
  readonly contents: BundleContents;
}

/** Doubts a folder's watch, and with it what is known of the folder and the files directly in it. */
export function doubtFolder(dir: string, { known, dirty, watches }: WatchState): void {
  watches.doubt(dir);
  dirty.add(dir);
  for (const name of known.folders.get(dir)?.listing.files ?? []) dirty.add(childOf(dir, name));
}

/** The paths whose remembered state may be wrong. */
interface Dirty {
  add(path: string): void;
  /** Everything at and below a folder. */
  addTree(dir: string): void;
  has(path: string): boolean;
  readonly isEmpty: boolean;
  /** Set when whole trees are in doubt. */
  readonly hasTrees: boolean;
  paths(): Iterable<string>;
  clear(): void;
}

/** An empty set of doubts. */
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

/** Climbs from the path, so that a thousand trees cost no more than one. */
function isBelow(path: string, trees: ReadonlySet<string>): boolean {
  for (let at = path; ; at = dirname(at)) {
    if (trees.has(at)) return true;
    if (dirname(at) === at) return false;
  }
}
