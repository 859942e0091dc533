import { lstatSync, statSync, type Stats } from 'node:fs';

/** The identity of a folder, to detect a replaced folder. Inode numbers alone can be reused. */
export interface Identity {
  readonly ino: number;
  /** Birth time in milliseconds. */
  readonly birth: number;
}

/** The state of a file or folder, compared without reading its contents. Times are in milliseconds. */
export interface Fingerprint extends Identity {
  readonly size: number;
  readonly mtime: number;
  readonly ctime: number;
  /** A time before the stats were read. Changes within the clock resolution after it cannot be detected. */
  readonly at: number;
}

/** Creates the fingerprint of a file or folder from stats that were read at or after the given time. */
export function fingerprint(stats: Stats, at: number): Fingerprint {
  const { ino, size, mtimeMs, ctimeMs, birthtimeMs } = stats;
  return { ino, size, mtime: mtimeMs, ctime: ctimeMs, birth: birthtimeMs, at };
}

/** Whether a path is certainly unchanged. Returns false if in doubt or on an error. */
export function isUnchanged(before: Fingerprint, path: string): boolean {
  const now = statsOf(path);
  return now !== undefined && isSame(before, now) && !isRacy(before, before.at);
}

/** Whether current stats match a fingerprint, that is, identify the same file with the same timestamps. */
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
 * Whether a later change could have the same timestamps: within 100 ms, or 2 s for whole-second timestamps.
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
    return undefined; // Without permission or in a link loop, treat the path as missing.
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
    return undefined; // Without permission, treat the path as missing.
  }
}
