import { lstatSync, statSync, type Stats } from 'node:fs';

/** What tells a folder from another that takes its place; inodes alone are used again. */
export interface Identity {
  readonly ino: number;
  /** Birth time in milliseconds. */
  readonly birth: number;
}

/** What identifies a state of a file or folder without reading it; times in milliseconds. */
export interface Fingerprint extends Identity {
  readonly size: number;
  readonly mtime: number;
  readonly ctime: number;
  /** A moment before it was looked at: a change within the clock's grain of that moment would not show. */
  readonly at: number;
}

/** The fingerprint of a file or folder that was looked at no earlier than the given moment. */
export function fingerprint(stats: Stats, at: number): Fingerprint {
  const { ino, size, mtimeMs, ctimeMs, birthtimeMs } = stats;
  return { ino, size, mtime: mtimeMs, ctime: ctimeMs, birth: birthtimeMs, at };
}

/** Whether a path surely is as it was; doubt counts as change, and so does whatever keeps us from looking. */
export function isUnchanged(before: Fingerprint, path: string): boolean {
  const now = statsOf(path);
  return now !== undefined && isSame(before, now) && !isRacy(before, before.at);
}

/** Whether two looks saw the same stamps on the same file. */
export function isSame(before: Fingerprint, now: Stats): boolean {
  return (
    before.ino === now.ino &&
    before.size === now.size &&
    before.mtime === now.mtimeMs &&
    before.ctime === now.ctimeMs &&
    before.birth === now.birthtimeMs
  );
}

/** Whether a change right after that moment could carry the same stamps: 100 ms of grain, 2 s for whole seconds. */
export function isRacy(
  { mtime, ctime }: { readonly mtime: number; readonly ctime: number },
  at: number,
): boolean {
  const newest = Math.max(mtime, ctime);
  return at - newest < (newest % 1000 === 0 ? 2000 : 100);
}

/** The stamps of what a path leads to; undefined when it cannot be looked at. Never throws. */
export function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // not ours to look at, or a loop of links: for us there is nothing
  }
}

/** The stamps of what lies at a path, of a link itself; undefined where nothing does, or it is not ours to look at. */
export function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // not ours to look at: for us there is nothing
  }
}
