import { existsSync, lstatSync, readlinkSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { below, childOf, findRealPath, isInAny, isWithin } from '../../files/index.ts';
import { systemFolders } from '../bubblewrap/system-mounts.ts';
import type { FolderReader } from './folder-reader.ts';
import { findHidden } from './hidden-files.ts';
import { isInProject, mayContain, mayShow, patternOf } from './locations.ts';
import { installations, toolchains, toolchainVariables, type Toolchain } from './toolchains.ts';

/** The host variables that determine which programs its user has. */
export interface ProgramVariables {
  readonly path: string;
  /** An absolute path other than `/`. */
  readonly home: string;
  /** The home folder of the user who runs this process. This folder is never visible either. */
  readonly ownHome: string;
  /** The host's environment variables. Only those that toolchains define are read. */
  readonly host: Readonly<Record<string, string | undefined>>;
}

/** The programs outside the system's folders that sandboxes show read-only. */
export interface ProgramFolders {
  /** The real paths of folders and files. None contains another. */
  readonly shown: readonly string[];
  /** The paths that lead to `shown`, or to system programs, through symbolic links. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** Files and sockets in `shown` that processes must not be able to open. */
  readonly hiddenFiles: readonly string[];
  readonly hiddenFolders: readonly string[];
  /**
   * The variables that toolchains need. Without them, programs would search the sandbox's own home folder.
   */
  readonly environment: Readonly<Record<string, string>>;
  /** The files in `shown` that also appear in the sandbox's home folder. */
  readonly homeFiles: readonly string[];
}

/** Searches the folders of a `PATH` for programs outside the system's folders, and for what they need. */
export function searchPrograms(variables: ProgramVariables, reader: FolderReader): ProgramFolders {
  const search = createSearch(variables, reader);
  const onPath = [...new Set(variables.path.split(':').filter(isAbsolute))].map((path) => {
    return { path, real: isManaged(path) ? undefined : reader.resolve(path) };
  });
  for (const { real } of onPath) if (real !== undefined) reach(search, real);
  for (const { real } of onPath) if (real !== undefined) followLinks(search, real);
  for (const { path, real } of onPath) {
    if (real !== undefined && path !== real && isVisible(search, real)) search.links.set(path, real);
  }
  return resultOf(search);
}

/**
 * Returns whether only the system's package manager links programs in a folder. Such a folder is too large
 * to follow each link.
 */
function isManaged(folder: string): boolean {
  return ['/bin', '/sbin', '/usr/bin', '/usr/sbin'].includes(folder);
}

interface Search extends Omit<ProgramVariables, 'path'> {
  readonly realHome: string;
  readonly reader: FolderReader;
  /** The real path of each toolchain that is installed. */
  readonly roots: ReadonlyMap<Toolchain, string>;
  readonly active: Set<Toolchain>;
  readonly shown: Set<string>;
  readonly links: Map<string, string>;
  readonly hiddenFiles: string[];
  readonly hiddenFolders: string[];
}

function createSearch({ home, ownHome, host }: ProgramVariables, reader: FolderReader): Search {
  const realHome = findRealPath(home) ?? home;
  const roots = toolchains.flatMap((toolchain) => {
    const own = toolchain.variable === undefined ? undefined : host[toolchain.variable];
    const written = own !== undefined && isAbsolute(own) ? own : resolve(home, toolchain.root);
    const root = findRealPath(written);
    return root === undefined ? [] : [[toolchain, root] as const];
  });
  const [shown, active] = [new Set<string>(), new Set<Toolchain>()];
  const found = { shown, active, links: new Map<string, string>(), hiddenFiles: [], hiddenFolders: [] };
  return { home, realHome, ownHome, host, reader, roots: new Map(roots), ...found };
}

/** Makes a folder of programs visible, together with everything they need, if its location allows it. */
function reach(search: Search, folder: string): void {
  if (reachToolchain(search, folder)) return;
  const root = dirname(folder);
  if (!isProgramFolder(folder) || !mayShow(search, folder) || isInProject(search, folder)) return;
  const installation = installations.find(({ sign }) => existsSync(join(root, sign)));
  if (installation !== undefined && mayShow(search, root)) showParts(search, root, installation);
  show(search, folder);
}

/** Makes the known toolchain that contains a folder visible. Returns whether the folder is visible. */
function reachToolchain(search: Search, folder: string): boolean {
  for (const [toolchain, root] of search.roots) {
    if (isVisible(search, folder)) return true;
    if (isWithin(folder, root) && (folder === root || mayContain(toolchain, below(root, folder))))
      activate(search, toolchain, root);
  }
  return isVisible(search, folder);
}

const programFolders = new Set(['bin', 'sbin', 'condabin']);

function isProgramFolder(folder: string): boolean {
  return programFolders.has(basename(folder));
}

function activate(search: Search, toolchain: Toolchain, root: string): void {
  if (search.active.has(toolchain) || !mayShow(search, root)) return;
  search.active.add(toolchain);
  // A variable can name a folder that contains more than the toolchain.
  const isUsual = findRealPath(resolve(search.home, toolchain.root)) === root;
  showParts(search, root, isUsual ? toolchain : { parts: toolchain.parts });
  for (const [other, at] of search.roots) if (other.root === toolchain.needs) activate(search, other, at);
  const file = versionFileOf(search, toolchain);
  if (file !== undefined) show(search, file);
}

function versionFileOf({ realHome }: Search, { versionFile }: Toolchain): string | undefined {
  if (versionFile === undefined) return undefined;
  const file = join(realHome, versionFile);
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() === true ? file : undefined;
}

function showParts(search: Search, root: string, { parts, hasOnlyPrograms }: Parts): void {
  const found = parts.flatMap((part) => {
    const [, folder = '', levels = ''] = /^(.*?)((?:(?:^|\/)\*)*)$/.exec(part) ?? [];
    return expand(search, root, folder).flatMap((path) => {
      const real = findRealPath(path);
      // A link that leads out of the toolchain could lead to anything.
      return real === undefined || !isWithin(real, root)
        ? []
        : [{ real, levels: levels.split('*').length - 1 }];
    });
  });
  const { files, folders } = findHidden(root, search.reader.list(root));
  if (hasOnlyPrograms === true && files.length + folders.length + 1 < found.length) show(search, root);
  for (const { real, levels } of found) {
    show(search, real);
    if (levels > 0) inspect(search, real, levels);
  }
}

type Parts = Pick<Toolchain, 'parts' | 'hasOnlyPrograms'>;

/** Returns the existing paths that match a pattern below a folder. */
function expand({ reader }: Search, root: string, pattern: string): readonly string[] {
  let paths = [root];
  for (const name of pattern.split('/').filter(Boolean)) {
    paths = paths.flatMap((folder) =>
      reader
        .list(folder)
        .filter((entry) => patternOf(name).test(entry.name))
        .map((entry) => childOf(folder, entry.name)),
    );
  }
  return paths;
}

function show(search: Search, path: string): void {
  if (isVisible(search, path)) {
    if (search.shown.has(path)) return;
  } else {
    if ([search.realHome, search.ownHome].some((home) => isWithin(home, path))) return;
    for (const inner of search.shown) if (isWithin(inner, path)) search.shown.delete(inner);
    search.shown.add(path);
  }
  hideIn(search, path);
}

/**
 * Hides files in the installations below a folder, and makes the Python visible that virtual environments
 * link to.
 */
function inspect(search: Search, folder: string, levels: number): void {
  for (const entry of search.reader.list(folder)) {
    const path = childOf(folder, entry.name);
    if (entry.isDirectory() && !search.hiddenFolders.includes(path)) {
      hideIn(search, path);
      if (levels > 1) inspect(search, path, levels - 1);
      else inspectInstallation(search, path);
    }
  }
}

function inspectInstallation(search: Search, root: string): void {
  const folders = search.reader.list(root).filter((entry) => entry.isDirectory());
  for (const { name } of folders) if (/^(?:bin|etc|conf)$/.test(name)) hideIn(search, childOf(root, name));
  const python = findRealPath(join(root, 'bin', 'python'));
  if (python !== undefined) reachToolchain(search, dirname(python));
}

function hideIn({ reader, hiddenFiles, hiddenFolders }: Search, folder: string): void {
  const { files, folders } = findHidden(folder, reader.list(folder));
  hiddenFiles.push(...files);
  hiddenFolders.push(...folders);
}

/** Makes the programs visible to which links in a `PATH` folder lead. */
function followLinks(search: Search, folder: string): void {
  if (!isVisible(search, folder)) return;
  for (const entry of search.reader.list(folder)) {
    if (!entry.isSymbolicLink()) continue;
    const link = childOf(folder, entry.name);
    const real = findRealPath(link);
    if (real === undefined) continue;
    if (!isVisible(search, real)) reachProgram(search, real, isOfUser(search, folder));
    const next = resolve(folder, readlinkSync(link));
    if (next === real || !isVisible(search, real) || isVisible(search, next)) continue;
    if (isWithin(next, search.home)) search.links.set(next, real);
  }
}

/**
 * Returns whether only the user and installers create links in a folder. Other folders can be in a
 * workspace, where a skill could create a link to make another folder visible.
 */
function isOfUser({ realHome, active, roots }: Search, folder: string): boolean {
  if (!isWithin(folder, realHome) || folder === join(realHome, 'bin')) return true;
  return [...active].some((toolchain) => isWithin(folder, roots.get(toolchain) ?? folder));
}

/**
 * Makes a program visible: with its toolchain, or else, if `isTrusted`, together with its folder or on its
 * own.
 */
function reachProgram(search: Search, program: string, isTrusted: boolean): void {
  search.reader.resolve(program);
  if (reachToolchain(search, program) || !isTrusted) return;
  reach(search, dirname(program));
  if (isVisible(search, program) || !mayShow(search, program)) return;
  const { mode } = statSync(program);
  if ((mode & 0o111) !== 0 && lstatSync(program).isFile() && !basename(program).startsWith('.'))
    show(search, program);
}

function isVisible({ shown }: Search, real: string): boolean {
  return isInAny(systemFolders, real) || isInAny([...shown], real);
}

function resultOf(search: Search): ProgramFolders {
  const { shown, links, active, home, realHome, hiddenFiles, hiddenFolders } = search;
  // Scripts refer to their toolchain by the home folder's path as the user wrote it, so link that path too.
  if (home !== realHome) {
    for (const path of shown) {
      if (isWithin(path, realHome)) links.set(join(home, below(realHome, path)), path);
    }
  }
  const outer = [...links].filter(
    ([path]) =>
      !isVisible(search, path) && ![...links.keys()].some((one) => one !== path && isWithin(path, one)),
  );
  return {
    shown: [...shown],
    links: outer.map(([path, target]) => ({ path, target })),
    hiddenFiles,
    hiddenFolders,
    environment: environmentOf(search),
    homeFiles: [...active].flatMap((one) => versionFileOf(search, one) ?? []),
  };
}

function environmentOf(search: Search): Readonly<Record<string, string>> {
  const { active, roots, host } = search;
  const activeRoots = [...active].map((toolchain) => roots.get(toolchain) ?? '');
  const given = toolchainVariables.flatMap((name) => {
    const value = host[name];
    const real = value === undefined || !isAbsolute(value) ? undefined : findRealPath(value);
    return real !== undefined && (isVisible(search, real) || activeRoots.includes(real))
      ? [[name, real]]
      : [];
  });
  const required = [...active].flatMap((toolchain) => {
    const { variable, isRequired } = toolchain;
    return variable !== undefined && isRequired === true ? [[variable, roots.get(toolchain) ?? '']] : [];
  });
  return Object.fromEntries([...required, ...given]) as Record<string, string>;
}
