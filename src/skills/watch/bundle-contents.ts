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

/** What lies beside the descriptors of watched bundles, so that a change there is told from a mere touch. */
export interface BundleContents {
  /** Follows the bundles of these descriptors and no others; resolves when each was looked at. */
  track(found: readonly RootedCandidate[]): Promise<void>;
  /** The bundles that a path lies in. */
  bundlesAt(path: string): readonly string[];
  /** Looks at a bundle again and tells whether its content differs from the last time, or was never looked at. */
  hasChanged(bundle: string): boolean;
  /** Goes through all bundles and names those whose stamps are not as they were. */
  stale(): Iterable<string | undefined>;
  close(): void;
}

/** What contents need from the watch around them. */
interface ContentsOptions {
  /** Called before a folder inside a bundle is listed, so that a watch can be set first. */
  readonly enter: (dir: string, identity: Identity) => void;
  /** Whether a file is looked after by others. */
  readonly isDescriptor: (path: string) => boolean;
}

interface State {
  /** Changes with every name, kind, executable bit and byte; larger files and hidden folders go by size and time. */
  readonly content: string;
  /** Changes whenever anything was touched; undefined while the stamps are too fresh to tell. */
  readonly stamps: string | undefined;
}

const nothingBeside: State = { content: '', stamps: '' };
const limits = { ...defaultSkillLimits, descriptorBytes: 1_048_576 };

/** No bundles yet. */
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

  /** Starts over when other bundles are tracked meanwhile, so that whoever waits finds all of them measured. */
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
        if (state === undefined || state === nothingBeside) continue; // its folder's own stamp says when something comes
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

/** A file that nobody may execute: of a descriptor, only that bit is not looked after by others. */
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
    return `unreadable ${byStamp}`; // the next event tells when that changes
  }
}

function stampOf({ path, stats }: BundleEntry): string {
  if (stats === undefined) return path;
  return `${path} ${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs} ${stats.mode}`;
}

function sumOf(parts: readonly string[]): string {
  return hash('sha256', parts.join('\0'), 'base64');
}

/** Milliseconds of work before others get their turn. */
const slice = 4;

/** Goes through the steps a slice at a time, so that nobody waits for all of them; false when it was stopped. */
export async function inSlices(steps: Iterator<unknown>, mayGoOn: () => boolean): Promise<boolean> {
  const letOthersWork = createYielder(slice);
  while (steps.next().done !== true) {
    const turn = letOthersWork();
    if (turn === undefined) continue;
    await turn;
    if (!mayGoOn()) return false;
  }
  return mayGoOn();
}
