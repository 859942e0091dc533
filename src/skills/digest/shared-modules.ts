import { readFileSync, statSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import type { Skill } from '../../core/index.ts';
import { below, isWithin, realPath } from '../../files/index.ts';
import { entriesOf } from './bundle-files.ts';

/** A module outside a bundle that the bundle's code imports. */
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

const maxModules = 200;
const maxBytes = 2 ** 20;

/** Returns the modules that a bundle shares with other bundles. See `findSharedModules`. */
export function sharedModules(bundle: Parameters<typeof findSharedModules>[0]): readonly SharedModule[] {
  return findSharedModules(bundle).modules;
}

/**
 * Finds the modules outside a bundle that the code in its `src` folder imports by relative path, directly or
 * through other modules. Ignores hidden files and files outside the bundle's root. Never throws.
 */
export function findSharedModules({
  dir,
  root = '',
}: Pick<Skill, 'dir'> & { readonly root?: string }): SharedModules {
  if (dir === '' || root === '' || dir === root || !isWithin(dir, root))
    return { modules: [], areMissing: false };
  const queue = [...entriesOf(dir, () => undefined)]
    .filter(({ path, isRemote }) => !isRemote && below(dir, path).startsWith(`src${sep}`))
    .map(({ path }) => path);
  const found = new Set<string>();
  let areMissing = false;
  for (const file of queue) {
    for (const path of importsOf(file)) {
      if (found.size === maxModules) break;
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
