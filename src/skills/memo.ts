import { hash } from 'node:crypto';
import { statSync, type Stats } from 'node:fs';
import type { Draft } from './draft.ts';
import { readCandidate, type Candidate, type Disk } from './disk.ts';
import { readListing, type Listing } from './listing.ts';
import type { SkillLimits } from './limits.ts';

/** What identifies a state of a file or folder without reading it; times in milliseconds. */
export interface Fingerprint {
  readonly ino: number;
  readonly size: number;
  readonly mtime: number;
  readonly ctime: number;
  readonly birth: number;
  /** When it was looked at: a change within the clock's grain of that moment would not show. */
  readonly at: number;
}

/** A folder as it was when last listed. */
export interface KnownFolder {
  readonly print: Fingerprint;
  readonly listing: Listing;
}

/** A descriptor as it was when last read. */
export interface KnownFile {
  readonly print: Fingerprint;
  /** SHA-256 of its bytes, base64. */
  readonly hash: string;
  /** Whose parser made the draft, and from which place; another place is another draft. */
  readonly key: string;
  readonly draft: Draft | undefined;
}

/** A disk that remembers: what has not changed is answered without reading it again. */
export interface Memo extends Disk {
  readonly folders: Map<string, KnownFolder>;
  readonly files: Map<string, KnownFile>;
  /** Forgets what the last scan did not ask for. */
  prune(): void;
}

/** How far the memo is believed: `stat` looks at every file, `trust` only at what `isDirty` names. */
export interface MemoOptions {
  readonly limits: SkillLimits;
  /** Absent: every answer is checked by its fingerprint. */
  readonly isDirty?: (path: string) => boolean;
  /** Called before a folder is listed, so that a watch can be set first. */
  readonly beforeList?: (dir: string) => void;
}

/** A memo over earlier knowledge; empty knowledge makes it a recording disk. */
export function memoOf(known: { folders: Map<string, KnownFolder>; files: Map<string, KnownFile> }, options: MemoOptions): Memo {
  let usedFolders = new Set<string>();
  let usedFiles = new Set<string>();
  const { limits, isDirty, beforeList } = options;
  return {
    folders: known.folders,
    files: known.files,
    list(dir) {
      usedFolders.add(dir);
      beforeList?.(dir);
      const before = known.folders.get(dir);
      if (before !== undefined && (isDirty === undefined ? isUnchanged(before.print, dir) : !isDirty(dir))) return before.listing;
      const print = fingerprint(statSync(dir));
      const listing = readListing(dir);
      known.folders.set(dir, { print, listing });
      return listing;
    },
    read(candidate) {
      const path = candidate.realFile;
      usedFiles.add(path);
      const before = known.files.get(path);
      const key = keyOf(candidate);
      const same = before?.key === key ? before : undefined;
      if (same !== undefined && (isDirty === undefined ? isUnchanged(same.print, path) : !isDirty(path))) return same.draft;
      const { draft, opened } = readCandidate(candidate, limits);
      if (opened === undefined) {
        known.files.delete(path);
        return draft;
      }
      const content = hash('sha256', opened.bytes, 'base64');
      const kept = same?.hash === content ? same.draft : draft;
      known.files.set(path, { print: fingerprint(opened.stats), hash: content, key, draft: kept });
      return kept;
    },
    prune() {
      for (const path of known.folders.keys()) if (!usedFolders.has(path)) known.folders.delete(path);
      for (const path of known.files.keys()) if (!usedFiles.has(path)) known.files.delete(path);
      usedFolders = new Set();
      usedFiles = new Set();
    },
  };
}

/** The fingerprint of a file or folder as it is now. */
export function fingerprint(stats: Stats): Fingerprint {
  return { ino: stats.ino, size: stats.size, mtime: stats.mtimeMs, ctime: stats.ctimeMs, birth: stats.birthtimeMs, at: Date.now() };
}

/** Whether a path surely is as it was; doubt counts as change. */
export function isUnchanged(before: Fingerprint, path: string): boolean {
  const now = statSync(path, { throwIfNoEntry: false });
  return now !== undefined && isSame(before, now) && !isRacy(before);
}

/** Whether two looks saw the same state of the same file. */
export function isSame(before: Fingerprint, now: Stats): boolean {
  return (
    before.ino === now.ino &&
    before.size === now.size &&
    before.mtime === now.mtimeMs &&
    before.ctime === now.ctimeMs &&
    before.birth === now.birthtimeMs
  );
}

/** A change right after the look could carry the same time stamp: 100 ms of grain, 2 s where stamps are whole seconds. */
function isRacy(print: Fingerprint): boolean {
  const newest = Math.max(print.mtime, print.ctime);
  return print.at - newest < (newest % 1000 === 0 ? 2000 : 100);
}

function keyOf(candidate: Candidate): string {
  return `${candidate.family.id}|${candidate.loose ? 'loose' : 'bundle'}|${candidate.refuseHardLinks ? 'single' : 'any'}|${candidate.stem}`;
}
