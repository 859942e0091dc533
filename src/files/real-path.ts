import { realpathSync } from 'node:fs';

/** A path without links; itself where nothing is there, or nobody may look. */
export function realPath(path: string): string {
  return findRealPath(path) ?? path;
}

/** A path without links; undefined where nothing is there, or nobody may look. */
export function findRealPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined; // whoever opens it learns why
  }
}
