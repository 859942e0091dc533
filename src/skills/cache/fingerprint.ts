import { lstatSync, statSync, type Stats } from 'node:fs';

/**
 * The identity of a folder. It includes the birth time, because a folder that replaces another one can reuse
 * its inode number.
 */
export interface Identity {
  readonly ino: number;
  /** The birth time, in milliseconds since the Unix epoch. */
  readonly birth: number;
}

/**
 * Metadata of a file or folder that shows whether its contents have changed, without reading them. Times are
 * in milliseconds.
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

/**
 * Whether the file or folder at a path has certainly not changed. Returns false if this is uncertain or if an
 * error occurs.
 */
export function isUnchanged(before: Fingerprint, path: string): boolean {
  const now = statsOf(path);
  return now !== undefined && isSame(before, now) && !isRacy(before, before.at);
}

/**
 * Whether the current stats of a path match a fingerprint: the same file with the same size and timestamps.
 */
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
 * 100 ms, or 2 s if the file system stores timestamps in whole seconds.
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
    return undefined; // Without permission, or if links form a loop, the path is treated as missing.
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
    return undefined; // Without permission, the path is treated as missing.
  }
}
