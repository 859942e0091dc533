import { realpathSync } from 'node:fs';
import { isAbsolute, resolve, sep } from 'node:path';

/** The real path that a word means which is no name: a dot, or something with a slash. Undefined for a name. */
export function namedPlace(word: string, cwd: string): string | undefined {
  const isPath = /^\.{1,2}$/.test(word) || word.includes('/') || word.includes(sep) || isAbsolute(word);
  return isPath ? realPath(resolve(cwd, word)) : undefined;
}

/** A path with its links resolved; as it is where it leads to nothing. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path; // what is gone can still be named
  }
}
