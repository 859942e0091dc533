import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Family } from '../core/family.ts';
import { descriptorsOf } from './descriptors.ts';
import { skillsRoot, type Root } from './root.ts';

/** What decides where skills are looked for; nothing here is read from the process. */
export interface RootOptions {
  readonly startDir?: string;
  readonly searchUpwards?: boolean;
  /** Highest precedence, in the order given. */
  readonly additionalSkillRoots?: readonly string[];
  /** The additional roots and no others. */
  readonly only?: boolean;
  /** The home folder; its roots are the user's own however they are met. */
  readonly home?: string;
  readonly userRoots?: boolean;
  readonly pluginRoots?: readonly string[];
  /** The package's own skills. */
  readonly bundledRoot?: string;
}

const bases = ['', '.agents', '.skilled', '.claude'];
const userBases = ['.skilled', '.agents', '.claude'];

/** The roots in order of precedence; a missing folder is listed too, since it may appear. */
export function standardRoots(options: RootOptions, families: readonly Family[]): readonly Root[] {
  const folders = [...descriptorsOf(families).byFolder.keys()];
  const kinds = [skillsRoot, ...folders];
  const roots: Root[] = [];
  for (const given of options.additionalSkillRoots ?? []) {
    const path = options.startDir === undefined ? resolve(given) : resolve(options.startDir, given);
    roots.push({ path, source: 'explicit', kind: skillsRoot, named: true });
    for (const folder of folders) {
      for (const twin of [join(dirname(path), folder), join(path, folder)]) {
        if (existsSync(twin)) roots.push({ path: twin, source: 'explicit', kind: folder });
      }
    }
  }
  if (options.only !== true) {
    for (const dir of projectFolders(options)) {
      const own = dir === options.home ? [''] : bases;
      for (const base of own) for (const kind of kinds) roots.push({ path: join(dir, base, kind), source: 'project', kind });
    }
    if (options.userRoots === true && options.home !== undefined) {
      for (const base of userBases) for (const kind of kinds) roots.push({ path: join(options.home, base, kind), source: 'user', kind });
    }
    for (const path of options.pluginRoots ?? []) roots.push({ path, source: 'plugin', kind: skillsRoot });
    if (options.bundledRoot !== undefined) roots.push({ path: options.bundledRoot, source: 'bundled', kind: skillsRoot });
  }
  return roots;
}

/** The start folder and, when searching upwards, its parents: to the repository's root, else to below home. */
function projectFolders(options: RootOptions): readonly string[] {
  if (options.startDir === undefined) return [];
  const start = resolve(options.startDir);
  if (options.searchUpwards === false) return [start];
  const chain: string[] = [];
  for (let dir = start; ; dir = dirname(dir)) {
    chain.push(dir);
    if (existsSync(join(dir, '.git'))) return chain;
    if (dirname(dir) === dir) break;
  }
  const home = options.home === undefined ? -1 : chain.indexOf(options.home);
  return home > 0 ? chain.slice(0, home) : home === 0 ? [start] : chain;
}
