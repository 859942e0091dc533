import { statsOf } from './fingerprint.ts';
import type { FolderWatches } from './folder-watches.ts';
import { trailOf } from './trail.ts';

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
