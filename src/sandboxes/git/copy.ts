import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  writeFileSync,
  type Dirent,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RejectedChange } from '../../core/index.ts';
import { childBehind, childOf, holdFolder, type OpenHandle } from '../../files/index.ts';
import { copyFile, holdChild, type Copied } from './files.ts';
import { readGitConfig, readSmall, type GitFolders } from './folders.ts';
import { takeoverOf, type GitPart, type GitTerms } from './takeover-rules.ts';
import { takeOver, type PrivateFolder } from './takeover.ts';

/** An open host folder or file to mount in a sandbox at `path`. */
export interface GitMount extends OpenHandle {
  readonly isWritable: boolean;
}

/** Private copies of a workspace's git folders. */
interface GitCopies {
  readonly mounts: readonly GitMount[];
  settle(): Promise<readonly RejectedChange[]>;
  remove(): void;
}

/**
 * Copies the top-level files of git folders, and also refs and logs, to a temporary folder of this user. Does
 * not copy objects. Returns undefined if copying fails. The folders can then still be mounted read-only.
 */
export function copyGit(
  { gitDir, commonDir }: GitFolders,
  mayCreateRepositories: boolean,
): GitCopies | undefined {
  const config = readGitConfig(readSmall(childOf(commonDir, 'config')) ?? '');
  const hash = config.get('extensions.objectformat')?.toLowerCase() === 'sha256' ? 'sha256' : 'sha1';
  const terms = { hash, mayCreateRepositories } as const;
  const work: Work = { temporary: makeFolder(), terms, mounts: [], folders: [], created: [], files: 0 };
  const remove = (): void => {
    for (const { real, copy } of work.folders) for (const one of [real, copy]) one[Symbol.dispose]();
    for (const folder of work.created) removeIfEmpty(folder);
    void removeFolder(work.temporary); // Removing a folder is slow, so the result is not awaited.
  };
  try {
    if (gitDir !== commonDir) copyFolder(work, commonDir, 'common');
    copyFolder(work, gitDir, gitDir === commonDir ? 'whole' : 'worktree');
  } catch {
    for (const mount of work.mounts) mount[Symbol.dispose]();
    remove();
    return undefined; // Git in the sandbox then reports that its files are read-only.
  }
  return { mounts: work.mounts, settle: () => takeOver(work.folders, terms), remove };
}

interface Work {
  readonly temporary: string;
  readonly terms: Omit<GitTerms, 'part'>;
  readonly mounts: GitMount[];
  readonly folders: PrivateFolder[];
  /** The host folders that were created only as mount points. */
  readonly created: string[];
  files: number;
}

/** A git folder and its copy, while it is being copied. */
interface Copying {
  readonly part: GitPart;
  readonly real: OpenHandle;
  readonly copy: OpenHandle;
  readonly before: Map<string, Copied>;
  readonly covered: Set<string>;
}

function beginCopy(work: Work, path: string, part: GitPart): Copying {
  const copyPath = join(work.temporary, String(work.folders.length));
  mkdirSync(copyPath, { mode: 0o700 });
  const real = holdFolder([path], path, path);
  const copy = holdFolder([copyPath], copyPath, copyPath);
  const copying = { part, real, copy, before: new Map<string, Copied>(), covered: new Set<string>() };
  work.folders.push(copying);
  mount(work, copy, '.', path, true);
  return copying;
}

function copyFolder(work: Work, path: string, part: GitPart): void {
  const copying = beginCopy(work, path, part);
  if (work.terms.mayCreateRepositories && part !== 'worktree')
    for (const name of repositories) makeMissing(work, childOf(path, name));
  for (const entry of readdirSync(childBehind(copying.real, '.'), { withFileTypes: true })) {
    if (entry.isDirectory()) showFolder(work, copying, entry.name);
    else if (entry.isFile()) showFile(work, copying, entry);
  }
}

// Folders in which `git submodule` and `git worktree` create repositories.
const repositories: ReadonlySet<string> = new Set(['modules', 'worktrees']);
const copied: ReadonlySet<string> = new Set(['refs', 'logs', 'info', 'rebase-merge', 'sequencer']);
// The copy omits these folders. They contain paths to which git would write, and git creates them again.
const leftOut: ReadonlySet<string> = new Set(['rr-cache', 'fsmonitor--daemon']);

function showFolder(work: Work, copying: Copying, name: string): void {
  if (leftOut.has(name)) return;
  if (copied.has(name)) {
    copyTree(work, copying, copying.real, copying.copy, name, '');
    return;
  }
  copying.covered.add(name);
  mkdirSync(childBehind(copying.copy, name));
  if (name === 'lfs') {
    if (holdsFolder(copying.real, 'lfs/objects')) share(work, copying, 'lfs/objects', true);
  } else if (name === 'objects') {
    share(work, copying, name, true);
    showObjectCaches(work, childOf(copying.real.path, 'objects/info'));
  } else {
    share(work, copying, name, work.terms.mayCreateRepositories && repositories.has(name));
  }
}

/**
 * Gives the command its own `objects/info`, because a file in this folder can name other object folders.
 * Copies only `alternates`, because the other files are caches.
 */
function showObjectCaches(work: Work, path: string): void {
  makeMissing(work, path);
  const copying = beginCopy(work, path, 'object caches');
  const alternates = copyFile(copying.real, 'alternates', copying.copy);
  if (alternates !== undefined) copying.before.set('alternates', alternates);
}

function showFile(work: Work, { part, real, copy, before, covered }: Copying, { name }: Dirent): void {
  const isTaken = takeoverOf(name, { ...work.terms, part }) !== undefined;
  if (name.startsWith('config') || name === 'index') {
    if (!isTaken) {
      covered.add(name);
      writeFileSync(childBehind(copy, name), '');
      mount(work, real, name, childOf(real.path, name), false, 'file');
      return;
    }
  }
  const stats = lstatSync(childBehind(real, name), { throwIfNoEntry: false });
  if (stats === undefined || name.endsWith('.lock') || (!isTaken && stats.size > 2 ** 20)) return;
  const done = copyFile(real, name, copy);
  if (done !== undefined) before.set(name, done);
}

const maxFiles = 50_000;

function copyTree(
  work: Work,
  copying: Copying,
  from: OpenHandle,
  to: OpenHandle,
  name: string,
  prefix: string,
): void {
  using source = holdChild(from, name, 'folder');
  if (source === undefined) return;
  mkdirSync(childBehind(to, name));
  using target = holdChild(to, name, 'folder');
  if (target === undefined) return;
  const path = `${prefix}${name}/`;
  for (const entry of readdirSync(childBehind(source, '.'), { withFileTypes: true })) {
    if (entry.isDirectory()) copyTree(work, copying, source, target, entry.name, path);
    if (!entry.isFile() || entry.name.endsWith('.lock')) continue;
    if ((work.files += 1) > maxFiles) throw new Error('The repository has too many refs.');
    const done = copyFile(source, entry.name, target);
    if (done !== undefined) copying.before.set(`${path}${entry.name}`, done);
  }
}

function share(work: Work, { real, copy }: Copying, path: string, isWritable: boolean): void {
  if (path.includes('/')) mkdirSync(childBehind(copy, path));
  mount(work, real, path, childOf(real.path, path), isWritable);
}

function mount(
  work: Work,
  folder: OpenHandle,
  name: string,
  path: string,
  isWritable: boolean,
  kind: 'file' | 'folder' = 'folder',
): void {
  const held = holdChild(folder, name, kind);
  if (held !== undefined) work.mounts.push({ ...held, path, isWritable });
}

function holdsFolder(folder: OpenHandle, path: string): boolean {
  return lstatSync(childBehind(folder, path), { throwIfNoEntry: false })?.isDirectory() === true;
}

function makeMissing(work: Work, path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return;
  mkdirSync(path);
  work.created.push(path);
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // The folder is no longer empty, so keep it.
  }
}

function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'skilled-git-'));
}

/** Removes a folder. Never throws, because a command can leave folders that cannot be removed. */
async function removeFolder(folder: string): Promise<void> {
  const options = { recursive: true, force: true } as const;
  try {
    await rm(folder, options).catch(async () => {
      openFolders(folder);
      await rm(folder, options);
    });
  } catch {
    // The folder remains in the system's temporary folder until the system clears it.
  }
}

function openFolders(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) openFolders(join(folder, entry.name));
}
