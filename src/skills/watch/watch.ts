import { pause, reasonOf, type Issue } from '../../core/index.ts';
import { isUnchanged, type Identity } from '../cache/fingerprint.ts';
import { memoOf, type Knowledge } from '../cache/memo.ts';
import type { ScanOptions } from '../discover/scan-state.ts';
import type { SkillRecord } from '../registry/record.ts';
import { bundleContents, inSlices } from './bundle-contents.ts';
import {
  awaitedNames,
  folderWatches,
  type FolderWatches,
  type WatchOutcome,
  type StartWatch,
} from './folder-watches.ts';
import {
  holdUnfinished,
  isSameLook,
  lookAround,
  noteEvent,
  sweepOver,
  touchedFiles,
  type Look,
  type Roots,
  type RefreshState,
} from './refresh.ts';
import { createRhythm, type Pace } from './schedule.ts';
import { noDoubts, type WatchState } from './state.ts';

/** What a watch works with. */
export interface WatchOptions extends Omit<ScanOptions, 'disk'> {
  /** Earlier knowledge; it is verified, then kept up to date. */
  readonly knowledge: Knowledge;
  readonly roots: () => Roots;
  /** Takes each look that saw something new; `touched` tells bundles in which a file beside the descriptor changed. */
  readonly publish: (look: Look, touched: (skill: SkillRecord) => boolean) => void;
  /** How a folder is watched; by default through the system. */
  readonly startWatch?: StartWatch;
  /** When to look and to sweep, where it differs from the ordinary. */
  readonly pace?: Partial<Pace>;
}

/** A registry that follows the disk; it does not keep the process alive. */
export interface Watching {
  /** Resolves when every change from now on will be seen. */
  readonly ready: Promise<void>;
  /** Looks now, unfinished files included; resolves when every change in what it found will be seen. */
  look(): Promise<void>;
  /** Looks at everything again; resolves when nothing is held back as unfinished. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

/** Milliseconds after which an unfinished file is looked at again. */
const holdFor = 50;

/** Starts watching the roots; the first look is published before it returns. */
export function watchSkills(options: WatchOptions): Watching {
  const { knowledge: known, roots, publish, startWatch, pace, ...scanOptions } = options;
  let seen: RefreshState | undefined;
  let last: Look | undefined;
  let isSure = false;
  let isAsked = true; // then what is there now is wanted, finished or not
  let isHolding = false;

  const dirty = noDoubts();
  const held = holdUnfinished();
  const watches = folderWatches((dir, name, kind) => {
    rhythm.event(noteEvent(dir, name, kind, state));
  }, startWatch);
  const ensure = (dir: string, identity: Identity): WatchOutcome => {
    const outcome = watches.ensure(dir, identity);
    if (outcome === 'replaced') dirty.addTree(dir);
    return outcome;
  };
  const contents = bundleContents({
    enter: (dir, identity) => void watches.ensure(dir, identity),
    isDescriptor: (path) => known.files.has(path),
  });
  const state: WatchState = { known, dirty, watches, contents, awaited: awaitedNames(ensure) };
  const memo = memoOf(known, {
    limits: options.limits,
    beforeList: ensure,
    isCurrent: (path, print) => !dirty.has(path) && (isSure || isUnchanged(print, path)),
    mayTake: (path, fresh, before, mtime) => isAsked || held.mayTake(path, fresh, before?.draft, mtime),
  });

  const look = (isFull: boolean): Promise<void> => {
    watches.retry();
    const next = lookAround(roots(), isFull || !isSure ? undefined : seen, { ...scanOptions, state, memo });
    if (next.isFull) memo.prune();
    const touched = seen === undefined ? new Set<string>() : touchedFiles(next.scanned.found, state);
    const measured = next.isFull ? follow(next) : Promise.resolve();
    seen = next;
    isSure = watches.refusal === undefined;
    isAsked = false;
    dirty.clear();
    const unfinished = held.release();
    for (const path of unfinished) dirty.add(path);
    isHolding = unfinished.length > 0;
    if (isHolding) rhythm.again(holdFor);
    tell({ discovered: next.discovered, issues: [...next.issues, ...noticesOf(watches.refusal)] }, touched);
    return measured;
  };

  /** Follows what a full look came by, and nothing else. */
  const follow = ({ scanned }: RefreshState): Promise<void> => {
    const measured = contents.track(scanned.found);
    watches.keep(
      (dir) => known.folders.has(dir) || state.awaited.isIn(dir) || contents.bundlesAt(dir).length > 0,
    );
    return measured;
  };

  const tell = (next: Look, touched: ReadonlySet<string>): void => {
    const isNew = touched.size > 0 || !isSameLook(last, next);
    last = next;
    if (isNew) publish(next, (skill) => touched.has(skill.file));
  };

  /** A look that nobody waits for must not end the process: what it throws becomes a finding until one succeeds. */
  const lookUnasked = (isFull: boolean): void => {
    try {
      void look(isFull);
    } catch (thrown) {
      isSure = false;
      tell(
        { discovered: last?.discovered ?? [], issues: [...(seen?.issues ?? []), failure(thrown)] },
        new Set(),
      );
    }
  };

  const ready = startOrClose(() => look(true), watches);
  const rhythm = createRhythm(
    {
      look: () => lookUnasked(false),
      isBlind: () => !isSure,
      async sweep() {
        if (await inSlices(sweepOver(state), () => rhythm.isOpen)) lookUnasked(true);
      },
    },
    pace,
  );
  return {
    ready,
    look() {
      isAsked = true;
      return look(true);
    },
    async sweep() {
      await rhythm.sweep();
      while (isHolding && rhythm.isOpen) await pause(holdFor);
    },
    async close() {
      const closed = rhythm.close();
      contents.close();
      watches.close();
      await closed;
    },
  };
}

/** A start that fails leaves no watch behind. */
function startOrClose<Result>(start: () => Result, watches: FolderWatches): Result {
  try {
    return start();
  } catch (thrown) {
    watches.close();
    throw thrown;
  }
}

function noticesOf(refusal: string | undefined): readonly Issue[] {
  if (refusal === undefined) return [];
  return [
    {
      level: 'warning',
      code: 'watch.exhausted',
      message: `The system gives no more file watches (${refusal}); changes are found by looking again every few seconds.`,
      hint: 'Raise fs.inotify.max_user_watches, or watch fewer folders.',
    },
  ];
}

function failure(thrown: unknown): Issue {
  const reason = reasonOf(thrown);
  return {
    level: 'warning',
    code: 'watch.failed',
    message: `The last look at the skills failed: ${reason}.`,
  };
}
