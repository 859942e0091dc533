import { lstatSync, readdirSync, type Dirent } from 'node:fs';
import { findRealPath } from '../../files/index.ts';

/** A reader of folders and paths that can tell later whether its results are still current. */
export interface FolderReader {
  /** Returns the entries of a folder, or none if it cannot be listed. */
  list(folder: string): readonly Dirent[];
  /** Returns the real path, or undefined if the path does not exist. */
  resolve(path: string): string | undefined;
  /** Returns whether everything that was read is still unchanged. Does not read the folders again. */
  isCurrent(): boolean;
}

/** Creates a reader that has not read anything. */
export function createFolderReader(): FolderReader {
  const folders = new Map<string, { readonly changedAt: number; readonly entries: readonly Dirent[] }>();
  const targets = new Map<string, string | undefined>();
  return {
    list(folder) {
      const known = folders.get(folder);
      if (known !== undefined) return known.entries;
      const before = changeOf(folder);
      // Another change in the same tick of the kernel's clock would leave this time unchanged.
      const changedAt = before + settledMs < Date.now() || before === missing ? before : unsettled;
      const entries = entriesOf(folder);
      folders.set(folder, { changedAt, entries });
      return entries;
    },
    resolve(path) {
      if (!targets.has(path)) targets.set(path, findRealPath(path));
      return targets.get(path);
    },
    isCurrent: () =>
      [...folders].every(([folder, { changedAt }]) => changeOf(folder) === changedAt) &&
      [...targets].every(([path, target]) => findRealPath(path) === target),
  };
}

const settledMs = 50;
const missing = -1;
const unsettled = -2; // Differs from the time of every folder, so that the folder is read again.

function changeOf(folder: string): number {
  return lstatSync(folder, { throwIfNoEntry: false })?.ctimeMs ?? missing;
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // The path is a file, does not exist, or is not readable.
  }
}
