import { pause, reasonOf, type Issue } from '../../core/index.ts';
import { isUnchanged, type Identity } from '../cache/fingerprint.ts';
import { memoOf, type Knowledge } from '../cache/memo.ts';
import type { ScanOptions } from '../discover/scan-state.ts';
import type { SkillRecord } from '../registry/record.ts';
import { bundleContents, inSlices } from './bundle-contents.ts';
import { touchedSkills } from './edits.ts';
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
  mayHideChanges,
  noteEvent,
  sweepOver,
  type Look,
  type Roots,
  type RefreshState,
} from './refresh.ts';
import { createRhythm, type Pace } from './schedule.ts';
import { noDoubts, type WatchState } from './state.ts';

/** Options for a watch. */
export interface WatchOptions extends Omit<ScanOptions, 'disk'> {
  /** Cached results of an earlier scan. They are verified and then kept up to date. */
  readonly knowledge: Knowledge;
  readonly roots: () => Roots;
  /**
   * Called after each check that found changes. `touched` returns true for skills in which a file other than
   * the descriptor changed.
   */
  readonly publish: (look: Look, touched: (skill: SkillRecord) => boolean) => void;
  /** Starts watching a folder. Defaults to the operating system's watches. */
  readonly startWatch?: StartWatch;
  /** The number of folders to watch. Changes in other folders are found by sweeps. */
  readonly maxWatched?: number;
  /** Times that override the defaults. */
  readonly pace?: Partial<Pace>;
}

/** A running watch. It does not keep the process alive. */
export interface Watching {
  /** Resolves once the watch will detect every later change. */
  readonly ready: Promise<void>;
  /**
   * Checks the disk now and accepts files that are still being written. Resolves once the watch will detect
   * every later change of the skills that it found.
   */
  look(): Promise<void>;
  /** Checks all known paths. Resolves once no file is still being written. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

/** The delay before a file that is still being written is checked again, in milliseconds. */
const holdFor = 50;

/** Starts watching the roots. Publishes the first result before it returns. */
export function watchSkills(options: WatchOptions): Watching {
  const { knowledge: known, roots, publish, startWatch, pace, ...scanOptions } = options;
  let previous: RefreshState | undefined;
  let last: Look | undefined;
  let isSure = false;
  let isAsked = true; // A check that the caller requests accepts files that are still being written.
  let isHolding = false;

  const dirty = noDoubts();
  const held = holdUnfinished();
  const watches = folderWatches(
    (dir, name, kind) => {
      rhythm.event(noteEvent(dir, name, kind, state));
    },
    startWatch,
    options.maxWatched,
  );
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
    const next = lookAround(roots(), isFull || !isSure ? undefined : previous, {
      ...scanOptions,
      state,
      memo,
    });
    if (next.isFull) memo.prune();
    const touched = previous === undefined ? [] : touchedSkills(next, state);
    const measured = next.isFull ? follow(next) : Promise.resolve();
    previous = next;
    isSure = watches.refusal === undefined;
    isAsked = false;
    dirty.clear();
    const unfinished = held.release();
    for (const path of unfinished) dirty.add(path);
    isHolding = unfinished.length > 0;
    if (isHolding) rhythm.again(holdFor);
    report({ ...next, issues: [...next.issues, ...noticesOf(watches)] }, touched);
    return measured;
  };

  /** Tracks and watches exactly the skills that a full check found. */
  const follow = ({ scanned }: RefreshState): Promise<void> => {
    const measured = contents.track(scanned.found);
    watches.retain(
      (dir) => known.folders.has(dir) || state.awaited.isIn(dir) || contents.bundlesAt(dir).length > 0,
    );
    return measured;
  };

  const report = ({ discovered, issues, edits }: Look, touched: readonly number[]): void => {
    const next: Look = {
      discovered,
      issues,
      edits: edits && { ...edits, indexes: [...new Set([...edits.indexes, ...touched])] },
    };
    const isNew = touched.length > 0 || !isSameLook(last, next);
    last = next;
    const files = new Set(touched.map((index) => discovered[index]?.found.file));
    if (isNew) publish(next, (skill) => files.has(skill.file));
  };

  /** Checks in the background. An error is reported as an issue until a check succeeds. */
  const lookUnasked = (isFull: boolean): void => {
    try {
      void look(isFull);
    } catch (thrown) {
      isSure = false;
      report(
        { discovered: last?.discovered ?? [], issues: [...(previous?.issues ?? []), failure(thrown)] },
        [],
      );
    }
  };

  const ready = startOrClose(() => look(true), watches);
  const rhythm = createRhythm(
    {
      look: () => lookUnasked(false),
      isBlind: () => !isSure || watches.isFull,
      async sweep() {
        if (!(await inSlices(sweepOver(state), () => rhythm.isOpen))) return;
        const isFull = previous === undefined || mayHideChanges(previous, roots());
        if (isFull || !isSure || !dirty.isEmpty) lookUnasked(isFull);
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

/** Returns the result of `start`. If it throws, closes all watches. */
function startOrClose<Result>(start: () => Result, watches: FolderWatches): Result {
  try {
    return start();
  } catch (thrown) {
    watches.close();
    throw thrown;
  }
}

function noticesOf({ refusal, isFull, size }: FolderWatches): readonly Issue[] {
  const swept = `Only ${size} folders are watched; other skills are checked for changes every few seconds instead.`;
  if (refusal === undefined)
    return isFull ? [{ level: 'info', code: 'watch.exhausted', message: swept }] : [];
  return [
    {
      level: 'warning',
      code: 'watch.exhausted',
      message: `The system allows no more file watches (${refusal}); skills are checked for changes every few seconds instead.`,
      hint: 'Raise fs.inotify.max_user_watches, or watch fewer folders.',
    },
  ];
}

function failure(thrown: unknown): Issue {
  const reason = reasonOf(thrown);
  return {
    level: 'warning',
    code: 'watch.failed',
    message: `The last check for skill changes failed: ${reason}.`,
  };
}
