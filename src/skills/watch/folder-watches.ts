import { readlinkSync, watch } from 'node:fs';
import { dirname, isAbsolute, parse, sep } from 'node:path';
import { childOf } from '../../files/index.ts';
import { lookAt, statsOf, type Identity } from '../cache/fingerprint.ts';

/**
 * Names to watch in folders that are not scanned. They are parts of the paths to missing roots and to the
 * targets of links.
 */
export interface Awaited {
  /**
   * Watches each component of an absolute path and of the targets of its links. Call this before using the
   * path.
   */
  follow(path: string): void;
  /** Whether any of the watched names is in this folder. */
  isIn(dir: string): boolean;
  isAwaited(dir: string, name: string): boolean;
  clear(): void;
}

/** Creates an empty set of names. `ensure` watches the folders that contain them. */
export function awaitedNames(ensure: FolderWatches['ensure']): Awaited {
  const names = new Map<string, Set<string>>();
  /** Watches a name. Returns true if the watch is new, in which case earlier results may be outdated. */
  const wait = (dir: string, name: string): boolean => {
    const here = names.get(dir);
    if (here === undefined) names.set(dir, new Set([name]));
    else here.add(name);
    const stats = statsOf(dir);
    if (stats === undefined) return false;
    const outcome = ensure(dir, { ino: stats.ino, birth: stats.birthtimeMs });
    return outcome === 'started' || outcome === 'replaced';
  };
  return {
    follow(path) {
      for (let tries = 0; tries < 5; tries++) {
        const isNew = trailOf(path).map(({ dir, name }) => wait(dir, name));
        if (!isNew.includes(true)) return;
      }
    },
    isIn: (dir) => names.has(dir),
    isAwaited: (dir, name) => names.get(dir)?.has(name) === true,
    clear: () => names.clear(),
  };
}

/** A set of watches, with one watch for each folder. */
export interface FolderWatches {
  /** Ensures that a folder is watched from now on. Never throws. */
  ensure(dir: string, identity: Identity): WatchOutcome;
  /** Marks a watch that may no longer work, so that the next call of `ensure` replaces it. */
  doubt(dir: string): void;
  /** Whether a different folder is now at this path. */
  isReplaced(dir: string): boolean;
  /** Closes the watches that are no longer needed. */
  retain(isNeeded: (dir: string) => boolean): void;
  readonly size: number;
  /** The reason why the operating system refused a watch, or undefined if it has refused none. */
  readonly refusal: string | undefined;
  /** Whether folders are not watched because there are too many. Their changes must be found by a sweep. */
  readonly isFull: boolean;
  /**
   * Tries to start watches again after a refusal, because the system may have capacity for more watches
   * again.
   */
  retry(): void;
  close(): void;
}

/** The result of `ensure`. `replaced` means that a different folder is now at the path. */
export type WatchOutcome = 'kept' | 'started' | 'replaced' | 'none';

/** A function that starts a watch for a folder. Throws the operating system's errors. */
export type StartWatch = (
  dir: string,
  onEvent: (kind: string, name: string | null) => void,
  onError: () => void,
) => { close(): void };

/** Called when an entry in a folder changes. The name is undefined if the system does not report it. */
type OnChange = (dir: string, name: string | undefined, kind: string) => void;

interface Watched extends Identity {
  readonly watcher: { close(): void };
  isDoubted: boolean;
}

/**
 * Error codes for a folder that was removed or is inaccessible. They are reported elsewhere and are not
 * treated as refusals.
 */
const notForUs = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM']);

/** The number of folders that are watched. All programs of a user share the system's watches. */
export const maxWatched = 20_000;

/** Creates watches that call `onChange`. They do not keep the process alive. */
export function folderWatches(
  onChange: OnChange,
  startWatch: StartWatch = nativeWatch,
  most = maxWatched,
): FolderWatches {
  const watched = new Map<string, Watched>();
  let refusal: string | undefined;
  let isFull = false;
  const drop = (dir: string): void => {
    watched.get(dir)?.watcher.close();
    watched.delete(dir);
  };
  const start = (dir: string, { ino, birth }: Identity): void => {
    if (watched.size >= most) isFull = true;
    if (refusal !== undefined || isFull) return;
    const onEvent = (kind: string, name: string | null): void => onChange(dir, name ?? undefined, kind);
    const onError = (): void => {
      drop(dir);
      onChange(dir, undefined, 'error');
    };
    try {
      watched.set(dir, { watcher: startWatch(dir, onEvent, onError), ino, birth, isDoubted: false });
    } catch (thrown) {
      const code = (thrown as NodeJS.ErrnoException).code ?? String(thrown);
      if (!notForUs.has(code)) refusal = code;
    }
  };
  return {
    ensure(dir, identity) {
      const before = watched.get(dir);
      const isOther = before !== undefined && !isSameFolder(before, identity);
      if (before !== undefined && !isOther && !before.isDoubted) return 'kept';
      drop(dir);
      start(dir, identity);
      if (isOther) return 'replaced';
      return watched.has(dir) ? 'started' : 'none';
    },
    doubt(dir) {
      const at = watched.get(dir);
      if (at !== undefined) at.isDoubted = true;
    },
    isReplaced(dir) {
      const before = watched.get(dir);
      const now = statsOf(dir);
      return (
        before === undefined ||
        now === undefined ||
        !isSameFolder(before, { ino: now.ino, birth: now.birthtimeMs })
      );
    },
    retain(isNeeded) {
      for (const dir of watched.keys()) if (!isNeeded(dir)) drop(dir);
    },
    get size() {
      return watched.size;
    },
    get refusal() {
      return refusal;
    },
    get isFull() {
      return isFull;
    },
    retry() {
      refusal = undefined;
      isFull = watched.size >= most;
    },
    close() {
      for (const dir of watched.keys()) drop(dir);
    },
  };
}

function isSameFolder(a: Identity, b: Identity): boolean {
  return a.ino === b.ino && a.birth === b.birth;
}

function nativeWatch(...[dir, onEvent, onError]: Parameters<StartWatch>): { close(): void } {
  return watch(dir, { persistent: false, encoding: 'utf8' }).on('change', onEvent).on('error', onError);
}

/** A component of a path: a folder and a name in it. */
interface Step {
  /** The absolute path of the folder, with links resolved. */
  readonly dir: string;
  readonly name: string;
}

/** The maximum number of links to follow in a path. No operating system follows more. */
const maxLinks = 40;

/**
 * Returns the links in an absolute path, followed by the path's final target or first missing component.
 * Never throws.
 */
export function trailOf(path: string): readonly Step[] {
  const steps: Step[] = [];
  let at = parse(path).root;
  let rest = partsOf(path.slice(at.length));
  for (let [name] = rest; name !== undefined && steps.length < maxLinks; [name] = rest) {
    rest = rest.slice(1);
    if (name === '..') {
      at = dirname(at);
      continue;
    }
    const here = childOf(at, name);
    const stats = lookAt(here);
    if (rest.length === 0 || stats?.isDirectory() !== true) steps.push({ dir: at, name });
    if (stats?.isSymbolicLink() === true) {
      const target = readLink(here);
      rest = [...partsOf(target), ...rest];
      if (isAbsolute(target)) at = parse(target).root;
    } else if (stats?.isDirectory() === true) at = here;
    else break;
  }
  return steps;
}

function partsOf(path: string): readonly string[] {
  return path.split(sep).filter((part) => part !== '' && part !== '.');
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // The link has been removed. The watch reports this.
  }
}
