import { lstatSync, readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { childOf, findRealPath, isWithin } from '../../files/index.ts';

/** The git folders of a workspace, by their real paths. */
export interface GitFolders {
  /** HEAD and the index are in it. */
  readonly gitDir: string;
  /** Objects, branches and settings are in it; the same folder unless the workspace is a worktree. */
  readonly commonDir: string;
}

/** What `.git` of a workspace is. */
export interface DotGit {
  readonly path: string;
  readonly kind: 'folder' | 'file' | 'link';
  /** Undefined when it names folders that nothing proves to be those of this workspace. */
  readonly folders: GitFolders | undefined;
}

/**
 * Finds the git folders of a workspace, given by its real path; undefined where it has no `.git`. Folders outside the
 * workspace count only when they name it in turn, as those of a worktree or a submodule do: a project that brings a
 * forged `.git` file gets no other folder of the host.
 */
export function findGitFolders(workspace: string): DotGit | undefined {
  const path = childOf(workspace, '.git');
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (stats.isDirectory()) return { path, kind: 'folder', folders: proven(workspace, path, path) };
  const kind = stats.isSymbolicLink() ? 'link' : 'file';
  const target = kind === 'link' ? findRealPath(path) : linkedFolder(workspace, path);
  const isFolder = target !== undefined && isKind(target, 'isDirectory');
  return { path, kind, folders: isFolder ? proven(workspace, path, target) : undefined };
}

/** The values of a git configuration file by `section.key` in lower case; includes are not read. Pure. */
export function readGitConfig(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let section = '';
  for (const line of text.split(/\r?\n/)) {
    const header = /^\s*\[\s*([\w.-]+)\s*("(?:[^"\\]|\\.)*")?\s*\]/.exec(line);
    if (header !== null) section = `${header[1]?.toLowerCase() ?? ''}${header[2] ?? ''}`;
    const entry = /^\s*([A-Za-z][\w-]*)\s*=\s*(.*?)\s*$/.exec(line.slice(header?.[0].length ?? 0));
    if (entry === null) continue;
    const value = (entry[2] ?? '').replace(/^"((?:[^"\\]|\\.)*)".*$/, '$1').replace(/\\(["\\])/g, '$1');
    values.set(`${section}.${entry[1]?.toLowerCase() ?? ''}`, value);
  }
  return values;
}

/** The text of a small regular file; undefined for anything else. */
export function readSmall(path: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size <= 2 ** 20 ? readFileSync(path, 'utf8') : undefined;
}

function linkedFolder(workspace: string, file: string): string | undefined {
  const named = /^gitdir: (.+?)\n*$/.exec(readSmall(file) ?? '')?.[1];
  return named === undefined ? undefined : findRealPath(resolve(workspace, named));
}

function proven(workspace: string, dotGit: string, gitDir: string): GitFolders | undefined {
  const named = readSmall(childOf(gitDir, 'commondir'))?.trim();
  const commonDir = named === undefined ? gitDir : findRealPath(resolve(gitDir, named));
  if (commonDir === undefined || !isRepository(commonDir)) return undefined;
  const isInside = isWithin(gitDir, workspace) && isWithin(commonDir, workspace);
  const isProven =
    isInside ||
    isWorktree(dotGit, gitDir, commonDir) ||
    (gitDir === commonDir && isSubmodule(workspace, gitDir));
  return isProven ? { gitDir, commonDir } : undefined;
}

function isRepository(folder: string): boolean {
  const isFolder = (name: string): boolean => isKind(childOf(folder, name), 'isDirectory');
  return isFolder('objects') && isFolder('refs') && isKind(childOf(folder, 'HEAD'), 'isFile');
}

function isKind(path: string, kind: 'isDirectory' | 'isFile'): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.[kind]() === true;
}

/** A worktree's folder is in `worktrees` of its repository, and its file `gitdir` names the `.git` file. */
function isWorktree(dotGit: string, gitDir: string, commonDir: string): boolean {
  const parent = dirname(gitDir);
  if (basename(parent) !== 'worktrees' || dirname(parent) !== commonDir) return false;
  const named = readSmall(childOf(gitDir, 'gitdir'))?.trim();
  if (named === undefined) return false;
  const back = resolve(gitDir, named);
  return basename(back) === '.git' && findRealPath(dirname(back)) === dirname(dotGit);
}

/** A submodule's folder is in `modules` of a repository around it, and its settings name the workspace. */
function isSubmodule(workspace: string, gitDir: string): boolean {
  const worktree = readGitConfig(readSmall(childOf(gitDir, 'config')) ?? '').get('core.worktree');
  if (worktree === undefined || findRealPath(resolve(gitDir, worktree)) !== workspace) return false;
  for (let folder = dirname(workspace); ; folder = dirname(folder)) {
    const around = findGitFolders(folder)?.folders?.gitDir;
    if (around !== undefined && gitDir !== around && isWithin(gitDir, childOf(around, 'modules')))
      return true;
    if (folder === dirname(folder)) return false;
  }
}
