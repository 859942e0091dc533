import { lstatSync, readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { childOf, findRealPath, isWithin } from '../../files/index.ts';

/** The real paths of a workspace's git folders. */
export interface GitFolders {
  /** The folder that contains HEAD and the index. */
  readonly gitDir: string;
  /** The folder that contains objects, branches and settings. Same as `gitDir` unless this is a worktree. */
  readonly commonDir: string;
}

/** The `.git` entry of a workspace. */
export interface DotGit {
  readonly path: string;
  readonly kind: 'folder' | 'file' | 'link';
  /** The git folders. Undefined if nothing proves that they belong to this workspace. */
  readonly folders: GitFolders | undefined;
}

/**
 * Finds the git folders of a workspace, given its real path. Returns undefined if the workspace has no
 * `.git`. A `.git` file can name folders outside the workspace. They are accepted only if they also name
 * the workspace, as the folders of worktrees and submodules do, so a forged `.git` file gives no access to
 * other host folders.
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

/**
 * Reads a git configuration file as values keyed by lower-case `section.key`. Does not follow includes. Pure.
 */
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

/** Reads a small regular file as text. Returns undefined if it is large, missing or of another kind. */
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

/**
 * Returns whether the git folder is in its repository's `worktrees` folder and its `gitdir` file names the
 * `.git` file.
 */
function isWorktree(dotGit: string, gitDir: string, commonDir: string): boolean {
  const parent = dirname(gitDir);
  if (basename(parent) !== 'worktrees' || dirname(parent) !== commonDir) return false;
  const named = readSmall(childOf(gitDir, 'gitdir'))?.trim();
  if (named === undefined) return false;
  const back = resolve(gitDir, named);
  return basename(back) === '.git' && findRealPath(dirname(back)) === dirname(dotGit);
}

/**
 * Returns whether the git folder is in an outer repository's `modules` and its settings name the workspace.
 */
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
