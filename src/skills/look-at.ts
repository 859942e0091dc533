import { lstatSync, type Stats } from 'node:fs';

/** The stamps of what lies at a path, of a link itself; undefined where nothing does, or it is not ours to look at. */
export function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // not ours to look at: for us there is nothing
  }
}
