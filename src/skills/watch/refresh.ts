import { basename, dirname, isAbsolute } from 'node:path';
import type { Issue } from '../../core/index.ts';
import { childOf, ignoreFiles } from '../../files/index.ts';
import { isRacy, isSame, isUnchanged, statsOf } from '../cache/fingerprint.ts';
import type { KnownFolder, Memo } from '../cache/memo.ts';
import { readFound, type Discovered } from '../discover/discover.ts';
import type { DiskEdits } from '../disk-skills.ts';
import type { Draft } from '../discover/draft.ts';
import { targetOf } from '../discover/links.ts';
import type { Listing, Root } from '../discover/listing.ts';
import type { ScanDisk, RootedCandidate, ScanOptions } from '../discover/scan-state.ts';
import { scan } from '../discover/scan.ts';
import { lookAtEdits, positionsOf, type FoundSkills } from './edits.ts';
import { doubtFolder, type WatchState } from './state.ts';

/** The skills and issues that a check of the disk found. */
export interface Look {
  readonly discovered: readonly Discovered[];
  readonly issues: readonly Issue[];
  /** The only differences from an earlier check, if they are known. */
  readonly edits?: DiskEdits | undefined;
}

/** The roots, and the issues about them. */
export interface Roots {
  readonly roots: readonly Root[];
  readonly issues: readonly Issue[];
}

/** The result of a check of the disk, and the data that the next check needs. */
export interface RefreshState extends Look, FoundSkills {
  readonly roots: readonly Root[];
  readonly scanned: { readonly found: readonly RootedCandidate[]; readonly issues: readonly Issue[] };
  /** The issues with the number of descriptors. */
  readonly readIssues: readonly Issue[];
  /** Whether all roots were scanned, instead of reusing the last scan. */
  readonly isFull: boolean;
  /** Whether the scan depends on links or ignore files, whose changes a sweep does not see. */
  readonly hasLinks: boolean;
  /** The real paths of the roots. */
  readonly targets: readonly (string | undefined)[];
}

/** Options for a check of the disk. */
interface LookOptions extends Omit<ScanOptions, 'disk'> {
  readonly state: WatchState;
  readonly memo: Memo;
}

/**
 * Checks the disk. The first check reads everything. A later check reads only paths that may be outdated, and
 * scans only if the set of files may have changed.
 */
export function lookAround(
  { roots, issues }: Roots,
  before: RefreshState | undefined,
  options: LookOptions,
): RefreshState {
  const { state, memo, limits } = options;
  const isFull = before === undefined || !isSameRoots(before.roots, roots) || !isScanCurrent(options);
  const edited = isFull ? undefined : lookAtEdits(before, options);
  if (edited !== undefined && before !== undefined) {
    const { scanned, readIssues } = before;
    return { ...before, ...edited, issues: [...issues, ...scanned.issues, ...readIssues], isFull: false };
  }
  const scanned = isFull ? scanAll(roots, options) : before.scanned;
  const read = readFound(scanned.found, isFull ? memo.read : readDoubtful(state, memo), limits);
  const isKnown = ({ realFile }: RootedCandidate): boolean => state.known.files.has(realFile);
  return {
    discovered: read.discovered,
    issues: [...issues, ...scanned.issues, ...read.issues],
    roots,
    scanned,
    readIssues: read.issues,
    positions: positionsOf(read.discovered),
    isWhole: read.discovered.length === scanned.found.length && scanned.found.every(isKnown),
    isFull,
    hasLinks: isFull ? hasLinks(scanned.found, state) : before.hasLinks,
    targets: isFull ? targetsOf(roots) : before.targets,
  };
}

function hasLinks(found: readonly RootedCandidate[], { known }: WatchState): boolean {
  const isSpecial = ({ listing: { links, files } }: KnownFolder): boolean =>
    links.length > 0 || ignoreFiles.some((name) => files.includes(name));
  return found.length === 0 || [...known.folders.values()].some(isSpecial);
}

function targetsOf(roots: readonly Root[]): readonly (string | undefined)[] {
  return roots.map(({ path }) => targetOf(path)?.real);
}

/** Whether something may have changed since a check that a sweep of all known paths does not see. */
export function mayHideChanges({ hasLinks: has, targets }: RefreshState, { roots }: Roots): boolean {
  return has || JSON.stringify(targetsOf(roots)) !== JSON.stringify(targets);
}

/**
 * Whether two checks have the same result. Compares cards by identity, because an unchanged descriptor keeps
 * its card object.
 */
export function isSameLook(before: Look | undefined, after: Look): boolean {
  if (before === undefined || JSON.stringify(before.issues) !== JSON.stringify(after.issues)) return false;
  if (before.discovered === after.discovered) return true;
  if (after.edits?.base === before.discovered) return after.edits.indexes.length === 0;
  return (
    before.discovered.length === after.discovered.length &&
    after.discovered.every(({ found, draft }, index) => {
      const earlier = before.discovered[index];
      return earlier?.draft.card === draft.card && isSameCandidate(earlier.found, found);
    })
  );
}

function isSameCandidate(a: RootedCandidate, b: RootedCandidate): boolean {
  if (a === b) return true;
  return a.file === b.file && a.root.path === b.root.path && a.root.source === b.root.source;
}

/** Scans everything. Watches each path that affects the scan before it is read. */
function scanAll(roots: readonly Root[], options: LookOptions): RefreshState['scanned'] {
  const { state, memo, ...scanOptions } = options;
  const { awaited } = state;
  awaited.clear();
  for (const { path } of roots) awaited.follow(path);
  for (const path of options.allowSymlinkTargets ?? []) if (isAbsolute(path)) awaited.follow(path);
  const disk: ScanDisk = {
    read: memo.read,
    list(dir) {
      const listing = memo.list(dir);
      for (const name of listing.links) awaited.follow(childOf(dir, name));
      return listing;
    },
  };
  return scan(roots, { ...scanOptions, disk });
}

/** Whether another scan would find the same descriptors, even if their contents have changed. */
function isScanCurrent({ state, memo }: LookOptions): boolean {
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

function readDoubtful({ known, dirty }: WatchState, memo: Memo): ScanDisk['read'] {
  return (candidate) => {
    const file = known.files.get(candidate.realFile);
    return file === undefined || dirty.has(candidate.realFile) ? memo.read(candidate) : file.draft;
  };
}

function listAgain(dir: string, memo: Memo): Listing | undefined {
  try {
    return memo.list(dir);
  } catch {
    return undefined; // The folder can no longer be read. The scan reports why.
  }
}

function isSameListing(a: Listing, b: Listing | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function isSameRoots(a: readonly Root[], b: readonly Root[]): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** Checks the timestamps of all known paths step by step. Marks paths that may have changed. */
export function* sweepOver(state: WatchState): Generator<void> {
  const { known, dirty, contents } = state;
  for (const [dir, { print }] of known.folders) {
    const now = statsOf(dir);
    if (now === undefined || !isSame(print, now)) doubtFolder(dir, state);
    else if (isRacy(print, print.at)) dirty.add(dir);
    yield;
  }
  for (const [file, { print }] of known.files) {
    if (!isUnchanged(print, file)) dirty.add(file);
    yield;
  }
  for (const bundle of contents.stale()) {
    if (bundle !== undefined) dirty.add(bundle);
    yield;
  }
}

/** Marks the paths that an event may have changed. Returns false if the event does not affect skills. */
export function noteEvent(dir: string, name: string | undefined, kind: string, state: WatchState): boolean {
  const { known, dirty, watches, awaited, contents } = state;
  if (name === undefined) {
    doubtFolder(dir, state);
    dirty.addTree(dir);
    return true;
  }
  // If a watched folder is moved or removed, the event has the name of the folder itself.
  const mayBeItself = kind === 'rename' && (name === basename(dir) || awaited.isIn(dir));
  const isMoved = mayBeItself && (name === basename(dir) || watches.isReplaced(dir));
  if (isMoved) doubtFolder(dir, state);
  else if (!known.folders.has(dir) && !awaited.isAwaited(dir, name) && contents.bundlesAt(dir).length === 0)
    return false;
  dirty.add(dir);
  dirty.add(childOf(dir, name));
  return true;
}

/** A tracker that keeps the last complete version of a descriptor while a new version is being written. */
interface Holding {
  /**
   * Whether the new draft of a file may replace the previous draft. `mtime` is the time of the file's last
   * change.
   */
  mayTake(path: string, fresh: Draft | undefined, before: Draft | undefined, mtime: number): boolean;
  /** Returns the paths of the files that were held back since the last call. They must be checked again. */
  release(): readonly string[];
}

/**
 * A file is treated as complete once it has been unchanged for `quiet` milliseconds, or after `patience`
 * milliseconds in any case.
 */
const quiet = 25;
const patience = 5_000;

/** A file that looks truncated is accepted once it has been unchanged for this many milliseconds. */
const cutPatience = 1_000;

/** Issues that a file often has while it is being written. */
const cutSigns = new Set(['frontmatter.unclosed', 'descriptor.empty', 'description.derived']);

/** Creates a tracker of files that are being written. */
export function holdUnfinished(): Holding {
  let before = new Map<string, number>();
  let held = new Map<string, number>();
  return {
    mayTake(path, fresh, last, mtime) {
      const now = Date.now();
      const age = now - mtime; // The age is negative if the timestamp is in the future.
      const isWriting = age >= 0 && (age < quiet || (age < cutPatience && looksCut(fresh, last)));
      const since = before.get(path) ?? now;
      if (!isWriting || now - since >= patience) return true;
      held.set(path, since);
      return false;
    },
    release() {
      before = held;
      held = new Map();
      return [...before.keys()];
    },
  };
}

/** Whether a file looks truncated because its last change caused new issues. */
function looksCut(fresh: Draft | undefined, before: Draft | undefined): boolean {
  if (before === undefined) return fresh?.issues.some(({ code }) => cutSigns.has(code)) === true;
  const known = new Set(before.issues.map(({ code }) => code));
  return fresh?.issues.every(({ code }) => known.has(code)) !== true;
}
