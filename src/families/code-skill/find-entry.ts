import { realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { isWithin, realPath } from '../../files/paths.ts';

/** Why a module cannot be run: a link leads out of the folder, or it lies where Node strips no types. */
export type EntryFault = 'outside' | 'typed';

/** The module of a skill that is run. */
export interface Entry {
  /** From the folder of the skill, as `src/index.ts`. */
  readonly path: string;
  readonly fault?: EntryFault;
}

const names = ['index.ts', 'index.mts', 'index.mjs', 'index.js'];

/** The first of the modules that a skill may begin with, else one that cannot be run; undefined where there is none. Never throws. */
export function findEntry(dir: string): Entry | undefined {
  let faulty: Entry | undefined;
  for (const name of dir === '' ? [] : names) {
    const entry = entryAt(dir, `src/${name}`);
    if (entry !== undefined && entry.fault === undefined) return entry;
    faulty ??= entry;
  }
  return faulty;
}

function entryAt(dir: string, path: string): Entry | undefined {
  try {
    const real = realpathSync.native(join(dir, path));
    if (!statSync(real).isFile()) return undefined;
    if (!isWithin(real, realPath(dir))) return { path, fault: 'outside' };
    return isTyped(real) && real.split(sep).includes('node_modules') ? { path, fault: 'typed' } : { path };
  } catch {
    return undefined; // it is not there, or nobody may look: whoever needs it learns that there is none
  }
}

function isTyped(path: string): boolean {
  return /\.m?ts$/.test(path);
}
