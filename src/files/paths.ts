import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { AgentError } from '../core/error.ts';
import { systemCode } from './file-fault.ts';

/** Returns the real path without links, or the path itself if it does not exist or is not accessible. */
export function realPath(path: string): string {
  return findRealPath(path) ?? path;
}

/** Returns the real path without links, or undefined if it does not exist or is not accessible. */
export function findRealPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined; // Opening the path will report the reason.
  }
}

/** A path split into its existing and missing parts. */
export interface ExistingPath {
  /** The real path of the longest existing prefix. */
  readonly real: string;
  /** The names after the existing part. Empty if everything exists. */
  readonly missing: readonly string[];
}

/**
 * Resolves the existing part of an absolute path, following links. Throws file system errors except for
 * missing names.
 */
export function resolveExisting(path: string): ExistingPath {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      return { real: realpathSync.native(at), missing };
    } catch (thrown) {
      const isMissing = ['ENOENT', 'ENOTDIR'].includes(systemCode(thrown) ?? '');
      if (!isMissing || dirname(at) === at) throw thrown;
      missing.unshift(basename(at));
    }
  }
}

/** A file scope: the folders whose files can be accessed. */
export interface Area {
  /** The absolute base for relative paths. Without it, only absolute paths are valid. */
  readonly workspace: string | undefined;
  /** The absolute paths of additional folders. */
  readonly others?: readonly string[];
}

/** Returns a file scope limited to the workspace. Throws `usage.bad-input` if there is no workspace. */
export function workspaceOnly(workspace: string | undefined): Area & { readonly workspace: string } {
  if (workspace === undefined) throw noWorkspace();
  return { workspace: resolve(workspace) };
}

/**
 * Converts a path to an absolute path without disk access. Throws if the path leads outside the file scope.
 */
export function locate(area: Area, path: string): string {
  if (path.includes('\0')) {
    throw new AgentError('usage.bad-input', 'The path contains a NUL character.', { hint: 'Remove it.' });
  }
  if (area.workspace === undefined && !isAbsolute(path)) throw noWorkspace();
  const located = resolve(area.workspace ?? sep, path);
  if (foldersAround(area, located).length === 0) throw outside(path);
  return located;
}

/** Returns the file scope's folders that contain a path, without resolving links. */
export function foldersAround({ workspace, others = [] }: Area, located: string): readonly string[] {
  const folders = workspace === undefined ? others : [workspace, ...others];
  return folders.map((folder) => resolve(folder)).filter((folder) => isWithin(located, folder));
}

/** Formats a path for display: with forward slashes, and relative to the workspace if it is inside it. */
export function shownPath({ workspace }: Area, located: string): string {
  if (workspace === undefined || !isWithin(located, resolve(workspace))) return located;
  return relative(workspace, located).replaceAll(sep, '/') || '.';
}

/**
 * Creates the error for a path outside the file scope. The error does not reveal whether the path
 * exists.
 */
export function outside(shown: string): AgentError {
  return new AgentError('policy.denied', `"${shown}" is outside the workspace.`, {
    hint: 'Use a path inside the workspace.',
  });
}

function noWorkspace(): AgentError {
  return new AgentError('usage.bad-input', 'This run has no workspace to read from or write to.', {
    hint: 'Start the run with a workspace folder.',
  });
}

/** Joins a folder and a name. Faster than `join`, but accepts only a single path component. */
export function childOf(dir: string, name: string): string {
  return dir.endsWith(sep) ? dir + name : dir + sep + name;
}

/** Returns the relative path from a folder to an item below it. Empty for the folder itself. */
export function below(dir: string, path: string): string {
  return path.slice(dir.endsWith(sep) ? dir.length : dir.length + 1);
}

/** Returns whether a path is a folder or below it. Both must be absolute, without links or dots. */
export function isWithin(path: string, dir: string): boolean {
  return path === dir || path.startsWith(dir.endsWith(sep) ? dir : dir + sep);
}
