import { readlinkSync, watch } from 'node:fs';
import { dirname, isAbsolute, parse, sep } from 'node:path';
import { childOf } from '../../files/index.ts';
import { lookAt, statsOf, type Identity } from '../cache/fingerprint.ts';

/** The names to wait for in folders that are not scanned themselves: missing roots, and where links lead. */
export interface Awaited {
  /** Watches the way of an absolute path, before anyone relies on where it leads. */
  follow(path: string): void;
  /** Whether something is waited for in a folder. */
  isIn(dir: string): boolean;
  isAwaited(dir: string, name: string): boolean;
  clear(): void;
}

/** Nothing awaited yet; folders are watched through the given function. */
export function awaitedNames(ensure: FolderWatches['ensure']): Awaited {
  const names = new Map<string, Set<string>>();
  /** Whether a watch had to be set, so that what was seen of the way before is in doubt. */
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

/** One native watch per folder. */
export interface FolderWatches {
  /** Watches a folder from now on. Never throws. */
  ensure(dir: string, identity: Identity): WatchOutcome;
  /** Lets the watch be set anew when the folder is next ensured, because it may be dead. */
  doubt(dir: string): void;
  /** Whether a watched folder is no longer the one at its path. */
  isReplaced(dir: string): boolean;
  /** Stops watching what is not wanted. */
  keep(isWanted: (dir: string) => boolean): void;
  readonly size: number;
  /** Why the system refused a watch; undefined while it gave all that were asked for. */
  readonly refusal: string | undefined;
  /** Asks the system again, which may have got room. */
  retry(): void;
  close(): void;
}

/** What ensuring a watch came to; `replaced` when the folder took the place of another that was watched. */
export type WatchOutcome = 'kept' | 'started' | 'replaced' | 'none';

/** Starts one watch; throws what the system throws. */
export type StartWatch = (
  dir: string,
  onEvent: (kind: string, name: string | null) => void,
  onError: () => void,
) => { close(): void };

/** Something happened to a name in a folder; the name is missing when the system did not say. */
type OnChange = (dir: string, name: string | undefined, kind: string) => void;

interface Watched extends Identity {
  readonly watcher: { close(): void };
  isDoubted: boolean;
}

/** The folder is gone or not ours to read: its own finding says so, and more watches would not help. */
const notForUs = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM']);

/** Watches that report to the given function; none keeps the process alive. */
export function folderWatches(onChange: OnChange, startWatch: StartWatch = nativeWatch): FolderWatches {
  const watched = new Map<string, Watched>();
  let refusal: string | undefined;
  const drop = (dir: string): void => {
    watched.get(dir)?.watcher.close();
    watched.delete(dir);
  };
  const start = (dir: string, { ino, birth }: Identity): void => {
    if (refusal !== undefined) return;
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
    keep(isWanted) {
      for (const dir of watched.keys()) if (!isWanted(dir)) drop(dir);
    },
    get size() {
      return watched.size;
    },
    get refusal() {
      return refusal;
    },
    retry() {
      refusal = undefined;
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

/** A name in a folder that decides where a path leads. */
interface Step {
  /** Absolute, links resolved. */
  readonly dir: string;
  readonly name: string;
}

/** More links on one way than any system follows. */
const mostLinks = 40;

/** The links on the way of an absolute path, then its end, or the first part of it that is missing. Never throws. */
export function trailOf(path: string): readonly Step[] {
  const steps: Step[] = [];
  let at = parse(path).root;
  let rest = partsOf(path.slice(at.length));
  for (let [name] = rest; name !== undefined && steps.length < mostLinks; [name] = rest) {
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
    return ''; // gone meanwhile, which its folder's watch reports
  }
}
