import { hash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { createYielder } from '../../core/index.ts';
import { below } from '../../files/index.ts';
import { isRacy, type Identity } from '../cache/fingerprint.ts';
import { entriesOf, type BundleEntry } from '../digest/bundle-files.ts';
import { openDescriptor } from '../discover/draft.ts';
import type { RootedCandidate } from '../discover/scan-state.ts';
import { defaultSkillLimits } from '../limits.ts';

/** A detector of changes in the files of bundles, except their descriptors. */
export interface BundleContents {
  /**
   * Tracks the bundles of these descriptors and stops tracking all others. Resolves when all digests are
   * known.
   */
  track(found: readonly RootedCandidate[]): Promise<void>;
  /** Returns the bundles that contain a path. */
  bundlesAt(path: string): readonly string[];
  /** Computes the digest of a bundle again. Returns true if it changed or was unknown. */
  hasChanged(bundle: string): boolean;
  /**
   * Checks all bundles step by step. Yields each bundle whose timestamps changed, and undefined for every
   * other step.
   */
  stale(): Iterable<string | undefined>;
  close(): void;
}

/** Functions that the watch provides to the tracker. */
interface ContentsOptions {
  /** Called before a folder in a bundle is listed, so that the folder is watched first. */
  readonly enter: (dir: string, identity: Identity) => void;
  /** Whether this file is tracked as a descriptor. */
  readonly isDescriptor: (path: string) => boolean;
}

interface State {
  /**
   * A digest of names, kinds, executable bits and contents. For large files and hidden folders, it includes
   * size and modification time instead of the contents.
   */
  readonly content: string;
  /** A digest of all timestamps. Undefined if any timestamp is too recent to be reliable. */
  readonly stamps: string | undefined;
}

const nothingBeside: State = { content: '', stamps: '' };
const limits = { ...defaultSkillLimits, descriptorBytes: 1_048_576 };

/** Creates a tracker that does not track any bundles yet. */
export function bundleContents({ enter, isDescriptor }: ContentsOptions): BundleContents {
  let states = new Map<string, State | undefined>();
  let measuring: Promise<void> | undefined;
  let isOpen = true;

  const measure = (bundle: string): State => {
    const at = Date.now();
    const content: string[] = [];
    const stamps: string[] = [];
    let isFresh = false;
    for (const entry of entriesOf(bundle, enter)) {
      if (isPlain(entry) && isDescriptor(entry.path)) continue;
      content.push(below(bundle, entry.path), contentOf(entry));
      stamps.push(stampOf(entry));
      isFresh ||= isRacy({ mtime: entry.stats?.mtimeMs ?? at, ctime: entry.stats?.ctimeMs ?? at }, at);
    }
    if (content.length === 0) return nothingBeside;
    return { content: sumOf(content), stamps: isFresh ? undefined : sumOf(stamps) };
  };

  function* measureNew(): Generator<void> {
    for (const [bundle, state] of states) {
      if (state === undefined) states.set(bundle, measure(bundle));
      yield;
    }
  }

  /** Computes the digests of all bundles. Starts again if the set of bundles changes. */
  const measureAll = async (): Promise<void> => {
    let done: typeof states | undefined;
    while (isOpen && done !== states) {
      const now = states;
      done = now;
      await inSlices(measureNew(), () => isOpen && states === now);
    }
    measuring = undefined;
  };

  return {
    track(found) {
      const next = new Map<string, State | undefined>();
      for (const { loose, realDir } of found) if (!loose) next.set(realDir, states.get(realDir));
      states = next;
      measuring ??= measureAll();
      return measuring;
    },
    bundlesAt(path) {
      const bundles: string[] = [];
      for (let dir = path; ; dir = dirname(dir)) {
        if (states.has(dir)) bundles.push(dir);
        if (dirname(dir) === dir) return bundles;
      }
    },
    hasChanged(bundle) {
      const before = states.get(bundle);
      const now = measure(bundle);
      states.set(bundle, now);
      return before?.content !== now.content;
    },
    *stale() {
      for (const [bundle, state] of states) {
        // If a bundle contains only its descriptor, the folder's timestamp reveals new files.
        if (state === undefined || state === nothingBeside) continue;
        const stamps: string[] = [];
        for (const entry of entriesOf(bundle, enter)) {
          if (!isPlain(entry) || !isDescriptor(entry.path)) stamps.push(stampOf(entry));
          yield undefined;
        }
        if (state.stamps !== sumOf(stamps)) yield bundle;
      }
    },
    close() {
      isOpen = false;
    },
  };
}

/**
 * Whether an entry is a file without executable bits. The contents of descriptors are tracked elsewhere, but
 * not their executable bits.
 */
function isPlain({ stats }: BundleEntry): boolean {
  return stats?.isFile() === true && (stats.mode & 0o111) === 0;
}

function contentOf({ path, stats, isRemote }: BundleEntry): string {
  if (stats === undefined) return 'unknown';
  if (stats.isDirectory()) return 'folder';
  const byStamp = `${stats.size} ${stats.mtimeMs}`;
  try {
    if (stats.isSymbolicLink()) return `link ${readlinkSync(path)}`;
    if (!stats.isFile()) return 'other';
    const kind = (stats.mode & 0o111) === 0 ? 'file' : 'program';
    if (isRemote || stats.size > limits.descriptorBytes) return `${kind} ${byStamp}`;
    return `${kind} ${hash('sha256', openDescriptor(path, limits).bytes, 'base64')}`;
  } catch {
    return `unreadable ${byStamp}`; // When the file becomes readable, there will be an event.
  }
}

function stampOf({ path, stats }: BundleEntry): string {
  if (stats === undefined) return path;
  return `${path} ${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs} ${stats.mode}`;
}

function sumOf(parts: readonly string[]): string {
  return hash('sha256', parts.join('\0'), 'base64');
}

/** The length of a work slice before control returns to the event loop, in milliseconds. */
const slice = 4;

/**
 * Runs steps in short slices that do not block the event loop. Resolves to false if `shouldContinue` ended
 * the work early.
 */
export async function inSlices(steps: Iterator<unknown>, shouldContinue: () => boolean): Promise<boolean> {
  const letOthersWork = createYielder(slice);
  while (steps.next().done !== true) {
    const turn = letOthersWork();
    if (turn === undefined) continue;
    await turn;
    if (!shouldContinue()) return false;
  }
  return shouldContinue();
}
