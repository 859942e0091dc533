import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { AgentError } from '../core/error.ts';
import { systemCode } from './file-fault.ts';

/** A path without links; itself where nothing is there, or nobody may look. */
export function realPath(path: string): string {
  return findRealPath(path) ?? path;
}

/** A path without links; undefined where nothing is there, or nobody may look. */
export function findRealPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined; // whoever opens it learns why
  }
}

/** What of a path is there. */
export interface Standing {
  /** The real path of the longest beginning that exists. */
  readonly real: string;
  /** The names after it; empty when everything exists. */
  readonly missing: readonly string[];
}

/** What of an absolute path is there, links followed; throws what the file system throws but for missing names. */
export function standingOf(path: string): Standing {
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

/** The folders whose files may be reached. */
export interface Area {
  /** What relative paths start from, absolute; without one, only absolute paths mean something. */
  readonly workspace: string | undefined;
  /** Further folders, absolute. */
  readonly others?: readonly string[];
}

/** The workspace as the only folder; throws `usage.bad-input` when there is none. */
export function workspaceOnly(workspace: string | undefined): Area & { readonly workspace: string } {
  if (workspace === undefined) throw noWorkspace();
  return { workspace: resolve(workspace) };
}

/** The absolute path that somebody means, without looking at the disk; throws for one that leaves the area. */
export function locate(area: Area, path: string): string {
  if (path.includes('\0')) {
    throw new AgentError('usage.bad-input', 'The path holds a NUL character.', { hint: 'Leave it out.' });
  }
  if (area.workspace === undefined && !isAbsolute(path)) throw noWorkspace();
  const located = resolve(area.workspace ?? sep, path);
  if (foldersAround(area, located).length === 0) throw outside(path);
  return located;
}

/** The folders of an area in which a path lies, as they were given. */
export function foldersAround({ workspace, others = [] }: Area, located: string): readonly string[] {
  const folders = workspace === undefined ? others : [workspace, ...others];
  return folders.map((folder) => resolve(folder)).filter((folder) => isWithin(located, folder));
}

/** A located path as people and models read it: relative to the workspace where it lies in it, with slashes. */
export function shownPath({ workspace }: Area, located: string): string {
  if (workspace === undefined || !isWithin(located, resolve(workspace))) return located;
  return relative(workspace, located).replaceAll(sep, '/') || '.';
}

/** The refusal of what is not in the area; the same whether it exists or not. */
export function outside(shown: string): AgentError {
  return new AgentError('policy.denied', `"${shown}" leads out of the workspace.`, {
    hint: 'Use a path inside the workspace.',
  });
}

function noWorkspace(): AgentError {
  return new AgentError('usage.bad-input', 'There is no workspace to read from or write to.', {
    hint: 'Start the run with a workspace folder.',
  });
}

/** The path of a name in a folder; cheaper than `join` where the name is known to be one. */
export function childOf(dir: string, name: string): string {
  return dir.endsWith(sep) ? dir + name : dir + sep + name;
}

/** The path from a folder to something in or below it; empty for the folder itself. */
export function below(dir: string, path: string): string {
  return path.slice(dir.endsWith(sep) ? dir.length : dir.length + 1);
}

/** Whether a path is a folder or lies below it; both absolute, without links or dots. */
export function isWithin(path: string, dir: string): boolean {
  return path === dir || path.startsWith(dir.endsWith(sep) ? dir : dir + sep);
}
