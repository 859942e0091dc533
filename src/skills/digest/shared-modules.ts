import { readFileSync, statSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import type { Skill } from '../../core/index.ts';
import { below, childOf, findRealPath, isWithin, realPath, walkVisibleFiles } from '../../files/index.ts';
import { entriesOf } from './bundle-files.ts';

/** A file outside a bundle that belongs to the skill: a module that it imports, or a file of its plugin. */
export interface SharedModule {
  /** The path relative to the bundle. */
  readonly name: string;
  readonly path: string;
}

/** The shared modules of a bundle. */
interface SharedModules {
  readonly modules: readonly SharedModule[];
  /**
   * Whether a module that could be shared does not exist. Such a module can appear without a change to the
   * bundle.
   */
  readonly areMissing: boolean;
}

/** The maximum number of files that a skill shares with others. */
export const maxSharedFiles = 200;
const maxBytes = 2 ** 20;

/** The location of a skill that can share files with other skills. */
export interface SharingSkill extends Pick<Skill, 'dir'> {
  readonly file?: string;
  readonly loose?: boolean;
  readonly root?: string;
  readonly plugin?: { readonly dir: string } | undefined;
}

/** Returns the files that a skill shares with other skills. See `findSharedModules`. */
export function sharedModules(skill: SharingSkill): readonly SharedModule[] {
  return findSharedModules(skill).modules;
}

/**
 * Finds the files outside a bundle that belong to the skill: the other files of its plugin, and the modules
 * in its root that its code imports. Never throws.
 */
export function findSharedModules(skill: SharingSkill): SharedModules {
  if (skill.plugin === undefined) return skill.loose === true ? none : findImported(skill);
  return { modules: pluginFiles(skill), areMissing: true }; // Files can be added to the plugin.
}

const none: SharedModules = { modules: [], areMissing: false };

const maxEntries = 5_000;

/**
 * Returns the files of a skill's plugin outside the skill. Returns none if the skill is in no plugin, or if
 * the plugin's folder is too large to be copied.
 */
export function pluginFiles({ dir, file, loose, plugin }: SharingSkill): readonly SharedModule[] {
  if (plugin === undefined) return [];
  const isOwn = (path: string): boolean => (loose === true ? path === file : isWithin(path, dir));
  return (findPluginFiles(plugin.dir) ?? [])
    .filter((path) => !isOwn(path))
    .map((path) => ({ name: relative(dir, path), path }));
}

/**
 * Returns the files of a plugin. Omits hidden files, `node_modules` and links. Returns undefined if the folder
 * is too large to be copied.
 */
export function findPluginFiles(dir: string): readonly string[] | undefined {
  const root = findRealPath(dir);
  if (root === undefined) return [];
  const files: string[] = [];
  let entries = 0;
  for (const found of walkVisibleFiles(root, { links: false })) {
    if (++entries > maxEntries || files.length > maxSharedFiles) return undefined;
    if (found !== undefined) files.push(childOf(dir, below(root, found)));
  }
  return files;
}

/**
 * Finds the modules outside a bundle that the code in its `src` folder imports by relative path, directly or
 * through other modules. Ignores hidden files and files outside the bundle's root.
 */
function findImported({ dir, root = '' }: SharingSkill): SharedModules {
  if (dir === '' || root === '' || dir === root || !isWithin(dir, root)) return none;
  const queue = [...entriesOf(dir, () => undefined)]
    .filter(({ path, isRemote }) => !isRemote && below(dir, path).startsWith(`src${sep}`))
    .map(({ path }) => path);
  const found = new Set<string>();
  let areMissing = false;
  for (const file of queue) {
    for (const path of importsOf(file)) {
      if (found.size === maxSharedFiles) break;
      if (found.has(path) || isWithin(path, dir) || !mayBeShared(path, root)) continue;
      const isFound = isModule(path, root);
      areMissing ||= !isFound;
      if (!isFound) continue;
      found.add(path);
      queue.push(path);
    }
  }
  return { modules: [...found].sort().map((path) => ({ name: relative(dir, path), path })), areMissing };
}

// Two matches for spaces are never adjacent in this pattern, so long runs of spaces take linear time.
const imported = /\b(?:from|import|require)\b\s*(?:\(\s*)?(['"])(\.{1,2}\/[^'"\n]+)\1/g;

/** Returns the paths of the modules that a module imports by a relative path. */
function importsOf(file: string): readonly string[] {
  if (!/\.[cm]?[jt]s$/.test(file)) return [];
  return [...textOf(file).matchAll(imported)].map(([, , path = '']) => resolve(dirname(file), path));
}

function textOf(file: string): string {
  try {
    return statSync(file).size > maxBytes ? '' : readFileSync(file, 'utf8');
  } catch {
    return ''; // The file was removed or cannot be read, so its imports fail as well.
  }
}

function mayBeShared(path: string, root: string): boolean {
  if (!isWithin(path, root) || !/\.(?:[cm]?[jt]s|json)$/.test(path)) return false;
  return !below(root, path)
    .split(sep)
    .some((part) => part.startsWith('.'));
}

function isModule(path: string, root: string): boolean {
  try {
    return statSync(path).isFile() && isWithin(realPath(path), realPath(root));
  } catch {
    return false; // There is no such file.
  }
}
