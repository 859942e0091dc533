import { statSync, watch, type FSWatcher } from 'node:fs';

/** One native watch per folder, told apart by inode and birth time because inodes are used again. */
export interface FolderWatches {
  /** Watches a folder from now on; tells whether another folder had taken its place since it was last ensured. */
  ensure(dir: string, check: boolean): boolean;
  has(dir: string): boolean;
  /** Stops watching what is not in the set. */
  keep(dirs: ReadonlySet<string>): void;
  readonly size: number;
  close(): void;
}

/** What the watches report. */
export interface WatchEvents {
  /** Something happened to a name in a folder; the name is missing when the system did not say. */
  onChange(dir: string, name: string | undefined): void;
  /** The system gives no more watches: events can be lost from now on. */
  onExhausted(reason: string): void;
}

interface Watched {
  readonly watcher: FSWatcher;
  readonly identity: string;
}

/** Watches that report to the given functions; none keeps the process alive. */
export function folderWatches(events: WatchEvents): FolderWatches {
  const watched = new Map<string, Watched>();
  const drop = (dir: string): void => {
    watched.get(dir)?.watcher.close();
    watched.delete(dir);
  };
  const start = (dir: string, identity: string): void => {
    try {
      const watcher = watch(dir, { persistent: false, encoding: 'utf8' });
      watcher.on('change', (_kind, name) => {
        events.onChange(dir, typeof name === 'string' ? name : undefined);
      });
      watcher.on('error', () => {
        drop(dir);
        events.onChange(dir, undefined);
      });
      watched.set(dir, { watcher, identity });
    } catch (thrown) {
      const code = (thrown as NodeJS.ErrnoException).code ?? '';
      if (['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM'].includes(code)) events.onExhausted(code);
      else if (code !== 'ENOENT') throw thrown; // a folder that vanished meanwhile needs no watch
    }
  };
  return {
    ensure(dir, check) {
      const before = watched.get(dir);
      if (before !== undefined && !check) return false;
      const identity = identityOf(dir);
      if (before?.identity === identity) return false;
      drop(dir);
      if (identity !== undefined) start(dir, identity);
      return before !== undefined;
    },
    has: (dir) => watched.has(dir),
    keep(dirs) {
      for (const dir of [...watched.keys()]) if (!dirs.has(dir)) drop(dir);
    },
    get size() {
      return watched.size;
    },
    close() {
      for (const dir of [...watched.keys()]) drop(dir);
    },
  };
}

function identityOf(dir: string): string | undefined {
  const stats = statSync(dir, { throwIfNoEntry: false, bigint: true });
  return stats === undefined ? undefined : `${stats.ino}:${stats.birthtimeNs}`;
}
