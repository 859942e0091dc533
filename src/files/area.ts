import { isAbsolute, relative, resolve, sep } from 'node:path';
import { AgentError } from '../core/error.ts';
import { isWithin } from './paths.ts';

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
