import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isJsonObject, reasonOf, type Family, type Issue, type Json, type Source } from '../../core/index.ts';
import { isWithin } from '../../files/index.ts';
import { targetOf } from './links.ts';
import { descriptorsOf, skillsRoot, type Root } from './listing.ts';

/** Options that determine the folders to search for skills. The process environment is never read. */
export interface RootOptions {
  readonly startDir?: string;
  readonly searchUpwards?: boolean;
  /** Roots that have the highest precedence, in the given order. */
  readonly additionalSkillRoots?: readonly string[];
  /** Whether to search only the additional roots. */
  readonly only?: boolean;
  /** The user's home folder. Skill roots in it never count as project roots. */
  readonly home?: string;
  readonly userRoots?: boolean;
  readonly pluginRoots?: readonly string[];
  /** Folders with copies of the servers' skills, in the order of the servers. */
  readonly serverRoots?: readonly ServerRoot[];
  /** The folder of the package's own skills. */
  readonly bundledRoot?: string;
}

/** A folder with copies of a server's skills. */
export interface ServerRoot {
  readonly path: string;
  readonly server: string;
}

const projectBases = ['', '.agents', '.skilled', '.claude'];
const userBases = ['.skilled', '.agents', '.claude'];

/** Returns each root once, in order of precedence. Includes missing folders, since they may appear later. */
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

/**
 * Returns a folder given explicitly, and the family folders inside it and beside it. If the given folder is
 * itself a family folder, returns it first, as a root of that family.
 */
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

/** Returns the home folder as given, and also its real path if that differs. */
function homesOf({ home }: RootOptions): readonly string[] {
  if (home === undefined) return [];
  const given = resolve(home);
  return [...new Set([given, targetOf(given)?.real ?? given])];
}

/**
 * Returns the start folder. When searching upwards, also returns its parents up to the repository root, or up
 * to the folder below home if there is no repository.
 */
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

/** Returns the skill roots that enabled plugins declare in `package.json` under `skilled.skills`. */
export function pluginRoots(
  plugins: readonly string[],
  startDir: string,
): { readonly roots: readonly string[]; readonly issues: readonly Issue[] } {
  const roots: string[] = [];
  const issues: Issue[] = [];
  for (const plugin of plugins) {
    const dir = folderOf(plugin, startDir);
    if (dir === undefined) {
      const hint = 'Install the package, or correct "plugins" in the settings.';
      issues.push(fault(plugin, 'is not installed', { hint }));
      continue;
    }
    const file = join(dir, 'package.json');
    for (const path of declaredPaths(plugin, file, issues)) {
      const root = resolve(dir, path);
      if (isFolderIn(root, dir)) roots.push(root);
      else issues.push(fault(plugin, `declares "${path}", which is missing or outside the plugin`, { file }));
    }
  }
  return { roots, issues };
}

const packageName = /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*$/;

/**
 * Finds the nearest package with the given name in `node_modules`, searching upwards. A string that is not a
 * valid package name is treated as a folder path.
 */
function folderOf(plugin: string, startDir: string): string | undefined {
  if (plugin === '') return undefined;
  if (!packageName.test(plugin)) {
    const dir = resolve(startDir, plugin);
    return isFolder(dir) ? dir : undefined;
  }
  for (let at = resolve(startDir); ; at = dirname(at)) {
    const dir = join(at, 'node_modules', plugin);
    if (isFolder(dir)) return dir;
    if (dirname(at) === at) return undefined;
  }
}

function declaredPaths(plugin: string, file: string, issues: Issue[]): readonly string[] {
  try {
    const manifest = readManifest(file);
    const own = isJsonObject(manifest) ? manifest['skilled'] : undefined;
    const skills = isJsonObject(own) ? own['skills'] : undefined;
    const paths = Array.isArray(skills) ? skills : [skills];
    const texts = paths.filter((path) => typeof path === 'string');
    if (texts.length > 0 && texts.length === paths.length) return texts;
    const what = texts.length === 0 ? 'declares no skills' : 'declares something that is not a path';
    issues.push(
      fault(plugin, what, { file, hint: 'Its package.json needs "skilled": {"skills": ["./skills"]}.' }),
    );
    return texts;
  } catch (thrown) {
    const reason = reasonOf(thrown);
    issues.push(fault(plugin, `has no valid package.json (${reason})`, { file }));
    return [];
  }
}

function readManifest(file: string): Json {
  if (targetOf(file)?.kind !== 'file') throw new Error('the file does not exist');
  return JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, '')) as Json;
}

function isFolder(path: string): boolean {
  return targetOf(path)?.kind === 'folder';
}

/** Whether a folder exists and is inside another folder after symlinks are resolved. */
function isFolderIn(path: string, dir: string): boolean {
  const target = targetOf(path);
  const outer = targetOf(dir);
  return target?.kind === 'folder' && outer !== undefined && isWithin(target.real, outer.real);
}

function fault(plugin: string, what: string, more: Pick<Issue, 'file' | 'hint'>): Issue {
  return { level: 'warning', code: 'plugin.unusable', message: `The plugin "${plugin}" ${what}.`, ...more };
}
