import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes a folder and those above it, one by one: where nothing can be made, as in /proc, Node tries a whole path without end. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (thrown) {
    if (!existsSync(folder)) throw thrown; // somebody else was quicker
  }
}
