import { lstatSync, readdirSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { AgentError } from '../core/error.ts';
import { didYouMean } from '../core/names.ts';
import { fileFault } from './file-fault.ts';
import {
  checkRegular,
  childBehind,
  holdFile,
  holdFolder,
  isInAny,
  realRoots,
  type OpenHandle,
} from './file-handle.ts';
import {
  findRealPath,
  foldersAround,
  isWithin,
  locate,
  outside,
  resolveExisting,
  shownPath,
  type Area,
  type ExistingPath,
} from './paths.ts';

/** An open file with its display path. */
export interface OpenFile extends OpenHandle {
  readonly shown: string;
}

/** Opens a regular file in a file scope for reading. Follows links that stay inside the scope. */
export function openFile(area: Area, path: string): OpenFile {
  const { roots, real, shown } = resolveInside(area, path);
  try {
    // Check the path before opening it, because opening a device can have side effects.
    checkRegular(lstatSync(real), shown);
    return { ...holdFile(roots, real, shown), shown };
  } catch (thrown) {
    throw fileFault(thrown, shown);
  }
}

/** An existing file or folder in a file scope. */
interface Resolved {
  /** The real paths of the scope's folders that may contain the file or folder. */
  readonly roots: readonly string[];
  /**
   * The real path. It may have changed since it was resolved, so anything opened by this path must be checked
   * again.
   */
  readonly real: string;
  readonly shown: string;
}

/**
 * Resolves a path. Throws if it leads outside the file scope. Also throws if it does not exist; the hint then
 * suggests similar names.
 */
export function resolveInside(area: Area, path: string): Resolved {
  const located = locate(area, path);
  const shown = shownPath(area, located);
  try {
    const { roots, real, missing } = locateInside(area, located, shown);
    if (missing.length > 0) throw notFound(roots, real, missing, shown);
    return { roots, real, shown };
  } catch (thrown) {
    throw fileFault(thrown, shown);
  }
}

/** A file or folder to search, and how to display the paths that the search finds. */
interface SearchStart {
  /** The real path of the file or folder. */
  readonly start: string;
  /** The real path of the file scope's folder that contains it. */
  readonly root: string;
  readonly shown: string;
  /**
   * Returns the path of an item for display and for other tools: relative to the workspace, or absolute in
   * another folder. The given path is relative to `root`.
   */
  pathOf(item: string): string;
}

/** Resolves the file or folder of a search. Throws like `resolveInside`. */
export function resolveSearch(area: Area, path: string): SearchStart {
  const { roots, real: start, shown } = resolveInside(area, path);
  const root = roots.find((one) => isWithin(start, one)) ?? start;
  const inWorkspace = area.workspace !== undefined && root === findRealPath(resolve(area.workspace));
  // Other tools accept only the path under which the folder was granted, not its real path.
  const folder = foldersAround(area, locate(area, path)).find((one) => findRealPath(one) === root) ?? root;
  const base = folder.replaceAll(sep, '/');
  return {
    start,
    root,
    shown,
    pathOf: (item) => (inWorkspace ? item : item === '' ? base : `${base.replace(/\/$/, '')}/${item}`),
  };
}

const maxCompared = 1000; // The maximum number of names to compare, because a folder can contain millions.

/** Creates the error for a path in which the component `name` does not exist. */
function notFound(
  roots: readonly string[],
  real: string,
  [name = '', ...more]: readonly string[],
  shown: string,
): AgentError {
  using folder = holdFolder(roots, real, shown);
  const names = readdirSync(childBehind(folder, '.'));
  if (names.includes(name)) {
    return new AgentError('usage.not-found', `"${shown}" leads to a broken link.`, {
      hint: 'Use the path of the file itself.',
    });
  }
  const what = more.length === 0 ? `There is no "${shown}"` : `There is no "${name}" in the path "${shown}"`;
  return new AgentError('usage.not-found', `${what}.`, {
    hint: didYouMean(name, names.slice(0, maxCompared)) ?? 'Use glob to find the correct path.',
  });
}

/**
 * Resolves the existing part of a path, and finds the file scope's folders that may contain the
 * path. Throws if the path leads outside the scope.
 */
export function locateInside(
  area: Area,
  located: string,
  shown: string,
): ExistingPath & { readonly roots: readonly string[] } {
  const roots = realRoots(area, located);
  const existing = resolveExisting(located);
  if (!isInAny(roots, existing.real)) throw outside(shown);
  return { roots, ...existing };
}
