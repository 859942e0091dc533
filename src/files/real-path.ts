import { realpathSync } from 'node:fs';

/** A path without links; itself where nothing is there, or nobody may look. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path; // whoever opens it learns why
  }
}
