import { basename, dirname, isAbsolute } from 'node:path';
import type { Issue } from '../core/issue.ts';
import { readFound, type Discovered } from './discover.ts';
import type { Disk } from './disk.ts';
import { ignoreFiles } from '../files/ignore-rules.ts';
import type { Listing } from './listing.ts';
import type { Memo } from './memo.ts';
import { childOf } from '../files/paths.ts';
import type { Root } from './root.ts';
import { scan } from './scan.ts';
import type { Found, ScanOptions } from './scan-state.ts';
import type { WatchState } from './watch-state.ts';

/** What one look at the disk saw. */
export interface Look {
  readonly discovered: readonly Discovered[];
  readonly issues: readonly Issue[];
}

/** The roots of the moment, and what was found out about them. */
export interface Roots {
  readonly roots: readonly Root[];
  readonly issues: readonly Issue[];
}

/** A look with what the next one builds on. */
export interface Seen extends Look {
  readonly roots: readonly Root[];
  readonly scanned: { readonly found: readonly Found[]; readonly issues: readonly Issue[] };
  /** Set when everything was scanned anew instead of taken from the look before. */
  readonly isFull: boolean;
}

/** What looks work with. */
export interface LookOptions extends Omit<ScanOptions, 'disk'> {
  readonly state: WatchState;
  readonly memo: Memo;
}

/** Looks at the disk; after a look before, only what is in doubt is read, and scanned only if places may differ. */
export function lookAround({ roots, issues }: Roots, before: Seen | undefined, options: LookOptions): Seen {
  const { state, memo, limits } = options;
  const isFull = before === undefined || !isSameRoots(before.roots, roots) || !areSamePlaces(options);
  const scanned = isFull ? scanAll(roots, options) : before.scanned;
  const read = readFound(scanned.found, isFull ? memo.read : readDoubtful(state, memo), limits);
  return {
    discovered: read.discovered,
    issues: [...issues, ...scanned.issues, ...read.issues],
    roots,
    scanned,
    isFull,
  };
}

/** Whether two looks saw the same; unchanged descriptors keep their cards. */
export function isSameLook(before: Look | undefined, after: Look): boolean {
  return (
    before?.discovered.length === after.discovered.length &&
    JSON.stringify(before.issues) === JSON.stringify(after.issues) &&
    after.discovered.every(({ found, draft }, index) => {
      const earlier = before.discovered[index];
      return earlier?.draft.card === draft.card && isSamePlace(earlier.found, found);
    })
  );
}

function isSamePlace(a: Found, b: Found): boolean {
  if (a === b) return true;
  return a.file === b.file && a.root.path === b.root.path && a.root.source === b.root.source;
}

/** Scans with every way that decides where to look watched before it is walked. */
function scanAll(roots: readonly Root[], options: LookOptions): Seen['scanned'] {
  const { state, memo, ...scanOptions } = options;
  const { awaited } = state;
  awaited.clear();
  for (const { path } of roots) awaited.follow(path);
  for (const path of options.allowSymlinkTargets ?? []) if (isAbsolute(path)) awaited.follow(path);
  const disk: Disk = {
    read: memo.read,
    list(dir) {
      const listing = memo.list(dir);
      for (const name of listing.links) awaited.follow(childOf(dir, name));
      return listing;
    },
  };
  return scan(roots, { ...scanOptions, disk });
}

/** Whether a scan would find the same descriptors again, so that at most their content differs. */
function areSamePlaces({ state, memo }: LookOptions): boolean {
  const { known, dirty, contents } = state;
  const isAsBefore = (path: string): boolean => {
    const folder = known.folders.get(path);
    if (folder !== undefined) return isSameListing(folder.listing, listAgain(path, memo));
    if (known.files.has(path)) return true;
    const name = basename(path);
    const around = known.folders.get(dirname(path));
    if (around !== undefined) return !ignoreFiles.includes(name) && !around.listing.links.includes(name);
    return contents.bundlesAt(path).length > 0;
  };
  return [...dirty.paths()].every(isAsBefore) && !dirty.hasTrees;
}

function readDoubtful({ known, dirty }: WatchState, memo: Memo): Disk['read'] {
  return (candidate) => {
    const file = known.files.get(candidate.realFile);
    return file === undefined || dirty.has(candidate.realFile) ? memo.read(candidate) : file.draft;
  };
}

function listAgain(dir: string, memo: Memo): Listing | undefined {
  try {
    return memo.list(dir);
  } catch {
    return undefined; // it cannot be read any more: the scan says why
  }
}

function isSameListing(a: Listing, b: Listing | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function isSameRoots(a: readonly Root[], b: readonly Root[]): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
