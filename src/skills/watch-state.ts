import type { Awaited } from './awaited.ts';
import type { BundleContents } from './bundle-contents.ts';
import type { Dirty } from './dirty.ts';
import type { FolderWatches } from './folder-watches.ts';
import type { Knowledge } from './memo.ts';
import { childOf } from '../files/paths.ts';

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
