import { lstatSync, statSync, type Stats } from 'node:fs';

/**
 * Identifies a folder. If the folder is replaced, its inode number may be reused, so the birth time is
 * included.
 */
export interface Identity {
  readonly ino: number;
  /** The birth time, in milliseconds since the Unix epoch. */
  readonly birth: number;
}

/**
 * The state of a file or folder. It shows whether the contents changed, without reading them. Times are in
 * milliseconds.
 */
export interface Fingerprint extends Identity {
  readonly size: number;
  readonly mtime: number;
  readonly ctime: number;
  /** A time just before the stats were read. A change around this time may leave the timestamps unchanged. */
  readonly at: number;
}

/** Creates the fingerprint of a file or folder from stats that were read at or after the time `at`. */
export function fingerprint(stats: Stats, at: number): Fingerprint {
  const { ino, size, mtimeMs, ctimeMs, birthtimeMs } = stats;
  return { ino, size, mtime: mtimeMs, ctime: ctimeMs, birth: birthtimeMs, at };
}

/** Whether a path has certainly not changed. Returns false in case of doubt and after an error. */
export function isUnchanged(before: Fingerprint, path: string): boolean {
  const now = statsOf(path);
  return now !== undefined && isSame(before, now) && !isRacy(before, before.at);
}

/** Whether current stats match a fingerprint: the same file with the same size and timestamps. */
export function isSame(before: Fingerprint, now: Stats): boolean {
  return (
    before.ino === now.ino &&
    before.size === now.size &&
    before.mtime === now.mtimeMs &&
    before.ctime === now.ctimeMs &&
    before.birth === now.birthtimeMs
  );
}

/**
 * Whether a file was changed so recently that another change may leave its timestamps the same. The limit is
 * 100 ms, or 2 s if the file system stores whole seconds.
 */
export function isRacy(
  { mtime, ctime }: { readonly mtime: number; readonly ctime: number },
  at: number,
): boolean {
  const newest = Math.max(mtime, ctime);
  return at - newest < (newest % 1000 === 0 ? 2000 : 100);
}

/**
 * Returns a path's stats, following links. Returns undefined if the path cannot be accessed. Never throws.
 */
export function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // If permission is missing or links form a loop, the path counts as missing.
  }
}

/**
 * Returns a path's stats without following links. Returns undefined if the path does not exist or cannot be
 * accessed. Never throws.
 */
export function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // If permission is missing, the path counts as missing.
  }
}
