import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isJsonObject, reasonOf, type Family, type Issue, type Json, type Source } from '../../core/index.ts';
import { isWithin } from '../../files/index.ts';
import { targetOf } from './links.ts';
import { descriptorsOf, skillsRoot, type Root } from './listing.ts';

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

/** The skill roots that enabled plugins declare in `package.json` under `skilled.skills`. */
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
      else issues.push(fault(plugin, `declares "${path}", which is missing or lies outside of it`, { file }));
    }
  }
  return { roots, issues };
}

const packageName = /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*$/;

/** The nearest package of that name in a `node_modules` on the way up; what cannot be a package is a folder. */
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
    const what = texts.length === 0 ? 'declares no skills' : 'declares something that is no path';
    issues.push(
      fault(plugin, what, { file, hint: 'Its package.json needs "skilled": {"skills": ["./skills"]}.' }),
    );
    return texts;
  } catch (thrown) {
    const reason = reasonOf(thrown);
    issues.push(fault(plugin, `has no readable package.json (${reason})`, { file }));
    return [];
  }
}

function readManifest(file: string): Json {
  if (targetOf(file)?.kind !== 'file') throw new Error('there is no such file');
  return JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, '')) as Json;
}

function isFolder(path: string): boolean {
  return targetOf(path)?.kind === 'folder';
}

/** Whether a folder exists and, links followed, lies inside another. */
function isFolderIn(path: string, dir: string): boolean {
  const target = targetOf(path);
  const outer = targetOf(dir);
  return target?.kind === 'folder' && outer !== undefined && isWithin(target.real, outer.real);
}

function fault(plugin: string, what: string, more: Pick<Issue, 'file' | 'hint'>): Issue {
  return { level: 'warning', code: 'plugin.unusable', message: `The plugin "${plugin}" ${what}.`, ...more };
}
