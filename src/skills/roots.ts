import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Family } from '../core/family.ts';
import type { Source } from '../core/skill.ts';
import { descriptorsOf } from './descriptors.ts';
import { skillsRoot, type Root } from './root.ts';
import { targetOf } from './scan-links.ts';

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
  /** Copies of the skills of servers, in the order of the servers. */
  readonly serverRoots?: readonly ServerRoot[];
  /** The package's own skills. */
  readonly bundledRoot?: string;
}

/** A folder with copies of the skills of a server. */
export interface ServerRoot {
  readonly path: string;
  readonly server: string;
}

const projectBases = ['', '.agents', '.skilled', '.claude'];
const userBases = ['.skilled', '.agents', '.claude'];

/** The roots in order of precedence, each once; a missing folder is listed too, since it may appear. */
export function standardRoots(options: RootOptions, families: readonly Family[]): readonly Root[] {
  const folders = [...descriptorsOf(families).byFolder.keys()];
  const kinds = [skillsRoot, ...folders];
  const roots = (options.additionalSkillRoots ?? []).flatMap((given) =>
    explicitRoots(resolve(options.startDir ?? '', given), folders),
  );
  if (options.only !== true) {
    const homes = homesOf(options);
    const own = homes.map((home) => rootsIn(home, userBases, kinds, 'user'));
    const isNoProjects = new Set([...own.flat().map(({ path }) => path), options.bundledRoot]);
    for (const dir of projectFolders(options, homes)) {
      roots.push(
        ...rootsIn(dir, projectBases, kinds, 'project').filter(({ path }) => !isNoProjects.has(path)),
      );
    }
    if (options.userRoots === true) roots.push(...(own[0] ?? []));
    for (const path of options.pluginRoots ?? []) roots.push({ path, source: 'plugin', kind: skillsRoot });
    for (const root of options.serverRoots ?? []) roots.push({ ...root, source: 'mcp', kind: skillsRoot });
    if (options.bundledRoot !== undefined) {
      roots.push({ path: options.bundledRoot, source: 'bundled', kind: skillsRoot });
    }
  }
  return roots.filter((root, index) => index === roots.findIndex((other) => isSame(other, root)));
}

function isSame(a: Root, b: Root): boolean {
  return a.path === b.path && a.kind === b.kind;
}

/** A named folder and the owned folders beside and in it; one that is such a folder itself comes as that first. */
function explicitRoots(path: string, folders: readonly string[]): Root[] {
  const twins = folders.flatMap((folder) =>
    [join(dirname(path), folder), join(path, folder)].map((twin): Root => ({
      path: twin,
      source: 'explicit',
      kind: folder,
    })),
  );
  return [
    ...twins.filter((twin) => twin.path === path),
    { path, source: 'explicit', kind: skillsRoot, named: true },
    ...twins.filter((twin) => twin.path !== path),
  ];
}

function rootsIn(dir: string, bases: readonly string[], kinds: readonly string[], source: Source): Root[] {
  return bases.flatMap((base) => kinds.map((kind): Root => ({ path: join(dir, base, kind), source, kind })));
}

/** The home folder as given and, where a link leads there, as it really is. */
function homesOf({ home }: RootOptions): readonly string[] {
  if (home === undefined) return [];
  const given = resolve(home);
  return [...new Set([given, targetOf(given)?.real ?? given])];
}

/** The start folder and, when searching upwards, its parents: to the repository's root, else to below home. */
function projectFolders(options: RootOptions, homes: readonly string[]): readonly string[] {
  if (options.startDir === undefined) return [];
  const start = resolve(options.startDir);
  if (options.searchUpwards === false) return [start];
  const chain: string[] = [];
  for (let dir = start; ; dir = dirname(dir)) {
    chain.push(dir);
    if (existsSync(join(dir, '.git'))) return chain;
    if (dirname(dir) === dir) break;
  }
  const home = chain.findIndex((dir) => homes.includes(dir));
  return home < 0 ? chain : chain.slice(0, Math.max(home, 1));
}
