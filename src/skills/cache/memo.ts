import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Draft } from '../discover/draft.ts';
import { readCandidate, type DescriptorCandidate, type ScanDisk } from '../discover/scan-state.ts';
import { fingerprint, isUnchanged, type Fingerprint } from './fingerprint.ts';
import { readListing, type Listing } from '../discover/listing.ts';
import type { SkillLimits } from '../limits.ts';

/** The cached state of a folder. */
export interface KnownFolder {
  readonly print: Fingerprint;
  readonly listing: Listing;
  /** The number of the last scan that needed the folder. */
  round: number;
}

/** The cached state of a descriptor. */
export interface KnownFile {
  readonly print: Fingerprint;
  /** The SHA-256 hash of the descriptor's bytes in base64. */
  readonly hash: string;
  /** The family whose parser created the draft. */
  readonly family: string;
  readonly key: string;
  readonly draft: Draft | undefined;
  /** The number of the last scan that needed the descriptor. */
  round: number;
}

/** The contents of a memo, keyed by absolute path with links resolved. */
export interface Knowledge {
  readonly folders: Map<string, KnownFolder>;
  readonly files: Map<string, KnownFile>;
  /** Whether the contents have changed since they were written to disk. */
  isChanged: boolean;
}

/** A disk reader that reads unchanged files and folders only once. */
export interface Memo extends ScanDisk {
  /** Removes the entries that no scan has needed since the last call. */
  prune(): void;
}

/** Options for a memo. */
export interface MemoOptions {
  readonly limits: SkillLimits;
  /** Whether the cached entry of a path is still valid. Defaults to comparing fingerprints. */
  readonly isCurrent?: (path: string, print: Fingerprint) => boolean;
  /** Called before a folder is listed. */
  readonly beforeList?: (dir: string, print: Fingerprint) => unknown;
  /** Whether a new draft may replace the previous draft. Defaults to true. */
  readonly mayTake?: (
    path: string,
    fresh: Draft | undefined,
    before: KnownFile | undefined,
    mtime: number,
  ) => boolean;
}

/** Creates an empty cache. */
export function noKnowledge(): Knowledge {
  return { folders: new Map(), files: new Map(), isChanged: false };
}

/** Creates a memo that uses and updates cached data. It reads everything else from disk. */
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
      // Remove the entry now, so that no outdated entry remains if listing fails.
      known.folders.delete(dir);
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
      const current = isSame ? same.draft : draft;
      known.files.set(path, {
        print: fingerprint(opened.stats, at),
        hash: content,
        family,
        key,
        draft: current,
        round,
      });
      return current;
    },
    prune() {
      for (const entries of [known.folders, known.files]) {
        for (const [path, entry] of entries) {
          if (entry.round === round) continue;
          entries.delete(path);
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
  const { loose, command, plugin, refuseHardLinks, stem, file, realFile } = candidate;
  const form = command === true ? 'command' : loose ? 'loose' : 'bundle';
  const from = plugin === undefined ? '' : `|${JSON.stringify(plugin)}`;
  const how = `${form}|${refuseHardLinks ? 'single' : 'any'}|${stem}${from}`;
  return file === realFile ? how : `${how}|${file}`;
}
