import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Issue } from '../core/issue.ts';
import { bundleDigests } from './bundle-digests.ts';
import type { Knowledge } from './cache-file.ts';
import { noDoubts } from './dirty.ts';
import { discover, type Discovered } from './discover.ts';
import type { Candidate } from './disk.ts';
import { folderWatches } from './folder-watches.ts';
import { memoOf } from './memo.ts';
import { holdUnfinished } from './unfinished.ts';
import type { Root } from './root.ts';
import type { SkillRecord } from './record.ts';
import type { ScanOptions } from './scan-state.ts';
import { sweep } from './sweep.ts';

/** What a watch works with. */
export interface WatchOptions extends Omit<ScanOptions, 'disk'> {
  readonly knowledge: Knowledge;
  readonly roots: () => readonly Root[];
  /** Takes each new look at the disk; `touched` tells bundles in which a file beside the descriptor changed. */
  readonly publish: (look: Look, touched: (skill: SkillRecord) => boolean) => void;
}

/** What one look at the disk saw. */
export interface Look {
  readonly discovered: readonly Discovered[];
  readonly issues: readonly Issue[];
}

/** A registry that follows the disk. */
export interface Watching {
  /** Resolves when every change from now on will be seen. */
  readonly ready: Promise<void>;
  /** Looks at everything again and resolves when the registry equals the disk. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

/** Milliseconds: quiet before reading, longest wait under constant change, quiet before an idle sweep, between sweeps. */
const times = { settle: 20, patience: 400, idle: 1_000, interval: 30_000, stall: 250, tick: 100 };
const burst = 4_096;

/** Starts watching the roots; the first look is published before it returns. */
export function watchSkills(options: WatchOptions): Watching {
  const dirty = noDoubts();
  const digests = bundleDigests();
  let ancestors = new Map<string, Set<string>>();
  let exhausted: Issue | undefined;
  let last: Look | undefined;
  let events = 0;
  let firstEvent = 0;
  let lastSweep = Date.now();
  let lastTick = Date.now();
  let open = true;
  let sweeping: Promise<void> = Promise.resolve();
  let flushTimer: NodeJS.Timeout | undefined;
  let idleTimer: NodeJS.Timeout | undefined;

  const watches = folderWatches({
    onChange(dir, name) {
      const wanted = ancestors.get(dir);
      if (wanted !== undefined && !memo.folders.has(dir) && (name === undefined || !wanted.has(name))) return;
      events++;
      dirty.add(dir);
      if (name === undefined) dirty.addTree(dir);
      else dirty.add(join(dir, name));
      schedule();
    },
    onExhausted(reason) {
      exhausted = {
        level: 'warning',
        code: 'watch.exhausted',
        message: `The system gives no more file watches (${reason}); changes are found by looking again every ${times.interval / 1000} s.`,
        hint: 'Raise fs.inotify.max_user_watches, or watch fewer folders.',
      };
    },
  });
  const memo = memoOf(options.knowledge, {
    limits: options.limits,
    isDirty: (path) => dirty.has(path),
    beforeList(dir) {
      if (watches.ensure(dir, dirty.has(dir))) dirty.addTree(dir);
    },
  });
  const held = holdUnfinished(memo);
  const disk = {
    list: memo.list,
    read(candidate: Candidate) {
      const dir = dirname(candidate.realFile);
      if (!watches.has(dir)) watches.ensure(dir, false);
      return held.read(candidate);
    },
  };

  /** One look at the disk: only what is in doubt is read. */
  const look = (): Promise<void> => {
    clearTimeout(flushTimer);
    flushTimer = undefined;
    const overflowed = events > burst;
    const inside = new Set(dirty.paths().map((path) => digests.bundleAt(path)).filter((dir) => dir !== undefined));
    const roots = options.roots();
    const found = discover(roots, { ...options, disk });
    watchInside(found.discovered);
    const changed = new Set([...inside].filter((dir) => digests.hasChanged(dir)));
    ancestors = ancestorsOf(roots);
    for (const dir of ancestors.keys()) watches.ensure(dir, dirty.has(dir));
    memo.prune();
    watches.keep(new Set([...memo.folders.keys(), ...ancestors.keys(), ...[...memo.files.keys()].map((file) => dirname(file))]));
    dirty.clear();
    events = 0;
    for (const path of held.paths()) dirty.add(path);
    if (!dirty.isEmpty) schedule(times.patience / 2);
    const issues = exhausted === undefined ? found.issues : [...found.issues, exhausted];
    const next = { discovered: found.discovered, issues };
    const touched = new Set(next.discovered.filter(({ found: at }) => changed.has(dirname(at.realFile))).map(({ found: at }) => at.file));
    if (touched.size > 0 || !isSameLook(last, next)) options.publish(next, (skill) => touched.has(skill.file));
    last = next;
    if (overflowed) void runSweep();
    return digests.track(found.discovered.map(({ found: candidate }) => candidate));
  };

  /** Bundles hold folders that the scan does not enter; they are watched for the files beside the descriptor. */
  const watchInside = (discovered: readonly Discovered[]): void => {
    const enter = (dir: string): void => {
      for (const name of foldersIn(dir)) enter(join(dir, name));
    };
    const foldersIn = (dir: string): readonly string[] => {
      try {
        return memo.list(dir).dirs;
      } catch {
        return []; // it vanished while we looked; its parent's event brings us back
      }
    };
    for (const { found } of discovered) if (!found.loose) enter(dirname(found.realFile));
  };

  const schedule = (delay = times.settle): void => {
    if (!open) return;
    if (flushTimer === undefined) firstEvent = Date.now();
    clearTimeout(flushTimer);
    const wait = Math.max(0, Math.min(delay, firstEvent + times.patience - Date.now()));
    flushTimer = setTimeout(() => void look(), wait).unref();
    clearTimeout(idleTimer);
    idleTimer = setTimeout(() => void runSweep(), times.idle).unref();
  };

  const runSweep = (): Promise<void> => {
    sweeping = sweeping.then(async () => {
      lastSweep = Date.now();
      if (open && (await sweep(memo, dirty, () => open))) await look();
    });
    return sweeping;
  };

  const ticking = setInterval(() => {
    const now = Date.now();
    if (now - lastTick > times.tick + times.stall || now - lastSweep > times.interval) void runSweep();
    lastTick = now;
  }, times.tick).unref();

  return {
    ready: look(),
    sweep: runSweep,
    async close() {
      open = false;
      clearTimeout(flushTimer);
      clearTimeout(idleTimer);
      clearInterval(ticking);
      digests.close();
      watches.close();
      await sweeping;
    },
  };
}

/** Whether two looks saw the same; unchanged descriptors keep their cards. */
function isSameLook(before: Look | undefined, after: Look): boolean {
  return (
    before?.discovered.length === after.discovered.length &&
    JSON.stringify(before.issues) === JSON.stringify(after.issues) &&
    after.discovered.every(({ found, draft }, index) => {
      const earlier = before.discovered[index];
      return earlier?.draft.card === draft.card && earlier.found.file === found.file && earlier.found.root.source === found.root.source;
    })
  );
}

/** For each root the nearest folder above it that exists, and the name to wait for there. */
function ancestorsOf(roots: readonly Root[]): Map<string, Set<string>> {
  const ancestors = new Map<string, Set<string>>();
  for (const { path } of roots) {
    for (let at = path; dirname(at) !== at; at = dirname(at)) {
      const parent = dirname(at);
      if (statSync(parent, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
      ancestors.set(parent, (ancestors.get(parent) ?? new Set()).add(basename(at)));
      break;
    }
  }
  return ancestors;
}
