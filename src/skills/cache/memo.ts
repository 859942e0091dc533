import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Draft } from '../discover/draft.ts';
import { readCandidate, type DescriptorCandidate, type ScanDisk } from '../discover/scan-state.ts';
import { fingerprint, isUnchanged, type Fingerprint } from './fingerprint.ts';
import { readListing, type Listing } from '../discover/listing.ts';
import type { SkillLimits } from '../limits.ts';

/** A folder as it was when last listed. */
export interface KnownFolder {
  readonly print: Fingerprint;
  readonly listing: Listing;
  /** The round in which it was last asked for. */
  round: number;
}

/** A descriptor as it was when last read. */
export interface KnownFile {
  readonly print: Fingerprint;
  /** SHA-256 of its bytes, base64. */
  readonly hash: string;
  /** Whose parser made the draft, and for which place; another place is another draft. */
  readonly family: string;
  readonly key: string;
  readonly draft: Draft | undefined;
  /** The round in which it was last asked for. */
  round: number;
}

/** What a memo knows by absolute path, links resolved. */
export interface Knowledge {
  readonly folders: Map<string, KnownFolder>;
  readonly files: Map<string, KnownFile>;
  /** Set once it differs from what was last kept on disk. */
  isChanged: boolean;
}

/** A disk that remembers: what has not changed is answered without reading it again. */
export interface Memo extends ScanDisk {
  /** Forgets what was not asked for since it was last called. */
  prune(): void;
}

/** How far a memo is believed. */
export interface MemoOptions {
  readonly limits: SkillLimits;
  /** Whether what is known of a path still holds; by default its fingerprint decides. */
  readonly isCurrent?: (path: string, print: Fingerprint) => boolean;
  /** Called before a folder is listed or believed, so that a watch can be set first. */
  readonly beforeList?: (dir: string, print: Fingerprint) => unknown;
  /** Whether a fresh draft may take the place of the one before; by default always. */
  readonly mayTake?: (
    path: string,
    fresh: Draft | undefined,
    before: KnownFile | undefined,
    mtime: number,
  ) => boolean;
}

/** Knowledge that knows nothing. */
export function noKnowledge(): Knowledge {
  return { folders: new Map(), files: new Map(), isChanged: false };
}

/** A memo over earlier knowledge, which it keeps up to date; without knowledge it is a recording disk. */
export function memoOf(known: Knowledge, options: MemoOptions): Memo {
  const { limits, isCurrent = isUnchangedAt, beforeList, mayTake } = options;
  let round = 1;
  return {
    list(dir) {
      const before = known.folders.get(dir);
      if (before !== undefined) {
        before.round = round;
        beforeList?.(dir, before.print);
        if (isCurrent(dir, before.print)) return before.listing;
      }
      known.isChanged = true;
      known.folders.delete(dir); // what cannot be listed is not known
      const at = Date.now();
      const print = fingerprint(statSync(dir), at);
      beforeList?.(dir, print);
      const listing = readListing(dir);
      known.folders.set(dir, { print, listing, round });
      return listing;
    },
    read(candidate) {
      const path = candidate.realFile;
      const before = known.files.get(path);
      const key = keyOf(candidate);
      const { id: family } = candidate.family;
      const same = before?.key === key && before.family === family ? before : undefined;
      if (same !== undefined) {
        same.round = round;
        if (isCurrent(path, same.print)) return same.draft;
      }
      const at = Date.now();
      const { draft, opened } = readCandidate(candidate, limits);
      if (opened === undefined) {
        if (known.files.delete(path)) known.isChanged = true;
        return draft;
      }
      if (mayTake?.(path, draft, same, opened.stats.mtimeMs) === false) return same?.draft;
      known.isChanged = true;
      const content = hash('sha256', opened.bytes, 'base64');
      const isSame = same?.hash === content && same.print.size === opened.stats.size;
      const kept = isSame ? same.draft : draft;
      known.files.set(path, {
        print: fingerprint(opened.stats, at),
        hash: content,
        family,
        key,
        draft: kept,
        round,
      });
      return kept;
    },
    prune() {
      for (const places of [known.folders, known.files]) {
        for (const [path, place] of places) {
          if (place.round === round) continue;
          places.delete(path);
          known.isChanged = true;
        }
      }
      round++;
    },
  };
}

function isUnchangedAt(path: string, print: Fingerprint): boolean {
  return isUnchanged(print, path);
}

function keyOf(candidate: DescriptorCandidate): string {
  const { loose, refuseHardLinks, stem, file, realFile } = candidate;
  const how = `${loose ? 'loose' : 'bundle'}|${refuseHardLinks ? 'single' : 'any'}|${stem}`;
  return file === realFile ? how : `${how}|${file}`;
}
