import type { Issue } from '../core/issue.ts';
import { awaitedNames } from './awaited.ts';
import { bundleContents } from './bundle-contents.ts';
import { noDoubts } from './dirty.ts';
import { isUnchanged, type Identity } from './fingerprint.ts';
import { folderWatches, type StartWatch } from './folder-watches.ts';
import { isSameLook, lookAround, type Look, type Roots, type Seen } from './look.ts';
import { memoOf, type Knowledge } from './memo.ts';
import { noteEvent } from './note-event.ts';
import { createRhythm } from './rhythm.ts';
import type { SkillRecord } from './record.ts';
import type { ScanOptions } from './scan-state.ts';
import { inSlices } from './slices.ts';
import { sweepOver } from './sweep.ts';
import { holdUnfinished } from './unfinished.ts';
import type { WatchState } from './watch-state.ts';

/** What a watch works with. */
export interface WatchOptions extends Omit<ScanOptions, 'disk'> {
  /** Earlier knowledge; it is verified, then kept up to date. */
  readonly knowledge: Knowledge;
  readonly roots: () => Roots;
  /** Takes each look that saw something new; `touched` tells bundles in which a file beside the descriptor changed. */
  readonly publish: (look: Look, touched: (skill: SkillRecord) => boolean) => void;
  /** How a folder is watched; by default through the system. */
  readonly startWatch?: StartWatch;
}

/** A registry that follows the disk; it does not keep the process alive. */
export interface Watching {
  /** Resolves when every change from now on will be seen. */
  readonly ready: Promise<void>;
  /** Looks now at what is in doubt, new roots included. */
  look(): Look;
  /** Looks at everything again; resolves when nothing is held back as unfinished. */
  sweep(): Promise<Look>;
  close(): Promise<void>;
}

/** Milliseconds after which an unfinished file is looked at again. */
const holdFor = 50;

/** Starts watching the roots; the first look is published before it returns. */
export function watchSkills(options: WatchOptions): Watching {
  const { knowledge: known, publish, roots, startWatch, ...scanOptions } = options;
  const dirty = noDoubts();
  const held = holdUnfinished();
  const watches = folderWatches((dir, name, kind) => {
    rhythm.event(noteEvent(dir, name, kind, state));
  }, startWatch);
  const enter = (dir: string, identity: Identity): void => {
    if (watches.ensure(dir, identity) === 'replaced') dirty.addTree(dir);
  };
  const contents = bundleContents({ enter, isDescriptor: (path) => known.files.has(path) });
  const state: WatchState = { known, dirty, watches, contents, awaited: awaitedNames(watches) };
  let seen: Seen | undefined;
  let isSure = false;
  let isHolding = false;
  const memo = memoOf(known, {
    limits: options.limits,
    beforeList: enter,
    isCurrent: (path, print) => !dirty.has(path) && (isSure || isUnchanged(print, path)),
    mayTake: (path, fresh, before, mtime) => seen === undefined || held.mayTake(path, fresh, before?.draft, mtime),
  });
  ...
}
