import { lstatSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Grant, RejectedChange } from '../../core/index.ts';
import { childOf, findRealPath, holdFile, holdFolder, isWithin } from '../../files/index.ts';
import { copyGit, type GitMount } from './copy.ts';
import { findGitFolders, readGitConfig, readSmall, type DotGit, type GitFolders } from './folders.ts';

/** The git folders that a sandbox sees in its writable workspaces. Disposing closes their handles. */
export interface GitView extends Disposable {
  readonly mounts: readonly GitMount[];
  /**
   * Applies the command's changes to the real folders and removes the copies. Must be called once, after
   * all processes of the command have ended.
   */
  settle(): Promise<readonly RejectedChange[]>;
  /** Removes the copies without applying any changes. */
  discard(): void;
}

/**
 * Opens the git folders of every workspace that a command may write to. The command works on private copies
 * but shares the objects. Settings, hooks and other repositories are read-only. If `isLive` is set, the
 * process outlives a single command and everything is read-only, because its copies would become outdated
 * and its changes would be applied too late.
 */
export function openGitView(
  { write, mayCreateRepositories }: Pick<Grant, 'write' | 'mayCreateRepositories'>,
  isLive: boolean,
): GitView {
  const workspaces = new Set(write.flatMap((folder) => findRealPath(resolve(folder)) ?? []));
  const views: GitView[] = [];
  const closeAll = (): void => views.forEach((view) => view[Symbol.dispose]());
  try {
    for (const workspace of workspaces) {
      const dotGit = findGitFolders(workspace);
      if (dotGit !== undefined) views.push(viewOf(workspace, dotGit, isLive, mayCreateRepositories === true));
    }
  } catch (thrown) {
    closeAll();
    views.forEach((view) => view.discard());
    throw thrown;
  }
  return {
    mounts: views.flatMap(({ mounts }) => mounts),
    settle: async () => (await Promise.all(views.map((view) => view.settle()))).flat(),
    discard: () => views.forEach((view) => view.discard()),
    [Symbol.dispose]: closeAll,
  };
}

function viewOf(
  workspace: string,
  { path, kind, folders }: DotGit,
  isLive: boolean,
  mayCreateRepositories: boolean,
): GitView {
  const copies = folders === undefined || isLive ? undefined : copyGit(folders, mayCreateRepositories);
  const isOnlyRead =
    folders === undefined ? kind === 'folder' && !mayCreateRepositories : copies === undefined;
  const readOnly = [
    ...(kind === 'file' ? [path] : []),
    ...(folders === undefined ? [] : hooksIn(workspace, folders)),
    ...(isOnlyRead ? new Set(folders === undefined ? [path] : Object.values(folders)) : []),
  ];
  const mounts = [...readOnly.flatMap(readOnlyMount), ...(copies?.mounts ?? [])];
  const restoreLink = kind === 'link' ? saveLink(path) : () => [];
  return {
    mounts,
    async settle() {
      try {
        return [...((await copies?.settle()) ?? []), ...restoreLink()];
      } finally {
        copies?.remove();
      }
    },
    discard: () => copies?.remove(),
    [Symbol.dispose]: () => mounts.forEach((mount) => mount[Symbol.dispose]()),
  };
}

function readOnlyMount(path: string): readonly GitMount[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) return [{ ...holdFolder([path], path, path), isWritable: false }];
  return stats?.isFile() === true ? [{ ...holdFile([path], path, path), isWritable: false }] : [];
}

/** Finds the workspace folders from which git runs hooks, because a setting or a link names them. */
function hooksIn(workspace: string, { gitDir, commonDir }: GitFolders): readonly string[] {
  const named = [childOf(commonDir, 'config'), childOf(gitDir, 'config.worktree')].flatMap(
    (file) => readGitConfig(readSmall(file) ?? '').get('core.hookspath') ?? [],
  );
  return [...named.map((path) => resolve(workspace, path)), childOf(commonDir, 'hooks')].flatMap((path) => {
    const real = findRealPath(path);
    const isInside = real !== undefined && real !== workspace && isWithin(real, workspace);
    return isInside && !isWithin(real, commonDir) ? [real] : [];
  });
}

/**
 * Remembers the target of a link, because processes can replace the link. Returns a function that restores
 * it.
 */
function saveLink(path: string): () => readonly RejectedChange[] {
  const target = readlinkSync(path);
  return () => {
    const now = lstatSync(path, { throwIfNoEntry: false });
    if (now?.isSymbolicLink() === true && readlinkSync(path) === target) return [];
    rmSync(path, { recursive: true, force: true });
    symlinkSync(target, path);
    return [{ path, reason: 'The link to the git folder was replaced; it has been restored.' }];
  };
}
