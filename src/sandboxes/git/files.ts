import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  utimesSync,
  type BigIntStats,
} from 'node:fs';
import { childBehind, childOf, systemCode, type OpenHandle } from '../../files/index.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY, O_DIRECTORY, COPYFILE_EXCL, COPYFILE_FICLONE } =
  constants;

/**
 * Opens a folder or a regular file in an open folder. Returns undefined if the entry is missing, a link, or
 * of another kind.
 */
export function holdChild(parent: OpenHandle, name: string, kind: 'file' | 'folder'): OpenHandle | undefined {
  const flags = kind === 'folder' ? O_DIRECTORY : O_NONBLOCK | O_NOCTTY;
  let handle: number;
  try {
    handle = openSync(childBehind(parent, name), O_RDONLY | O_NOFOLLOW | flags);
  } catch (thrown) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(systemCode(thrown) ?? '')) return undefined;
    throw thrown;
  }
  const held = {
    handle,
    path: childOf(parent.path, name),
    [Symbol.dispose]: () => closeSync(handle),
  };
  if (kind === 'folder' || fstatSync(handle).isFile()) return held;
  closeSync(handle);
  return undefined;
}

/**
 * Opens the parent folder of a path below an open folder. Never follows a link. If `makes` is true, creates
 * missing folders. Returns undefined if the parent folder does not exist.
 */
export function holdAround(
  root: OpenHandle,
  path: string,
  makes: boolean,
): { folder: OpenHandle; name: string } | undefined {
  const names = path.split('/');
  const name = names.pop() ?? '';
  let folder = holdChild(root, '.', 'folder');
  for (const one of names) {
    if (folder === undefined) return undefined;
    using parent = folder;
    if (makes) makeFolder(childBehind(parent, one));
    folder = holdChild(parent, one, 'folder');
  }
  return folder === undefined ? undefined : { folder, name };
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (thrown) {
    if (systemCode(thrown) !== 'EEXIST') throw thrown; // The folder usually exists already.
  }
}

/**
 * Returns a string that changes whenever a file changes. The string contains the ctime, which sandboxed
 * processes cannot set.
 */
function identityOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

/**
 * Returns the identity of the file at a path below an open folder. Returns undefined if no file exists there.
 * Ignores folders, because git removes empty ones.
 */
export function identityAt(root: OpenHandle, path: string): string | undefined {
  const around = holdAround(root, path, false);
  if (around === undefined) return undefined;
  using folder = around.folder;
  const stats = lstatSync(childBehind(folder, around.name), { bigint: true, throwIfNoEntry: false });
  return stats === undefined || stats.isDirectory() ? undefined : identityOf(stats);
}

/** The identities of a file and of its copy at the time of copying. */
export interface Copied {
  readonly real: string;
  readonly copy: string;
}

/**
 * Copies a regular file into another open folder, sharing blocks if the file system supports it. Returns
 * undefined for anything but a regular file.
 */
export function copyFile(from: OpenHandle, name: string, to: OpenHandle): Copied | undefined {
  using file = holdChild(from, name, 'file');
  if (file === undefined) return undefined;
  const real = fstatSync(file.handle, { bigint: true });
  const target = childBehind(to, name);
  copyFileSync(`/proc/self/fd/${file.handle}`, target, COPYFILE_EXCL | COPYFILE_FICLONE);
  // Git rereads files that are as new as the index, so a copy must not be newer than its original.
  const seconds = Number(real.mtimeMs) / 1000;
  utimesSync(target, seconds, seconds);
  const copy = lstatSync(target, { bigint: true });
  return { real: identityOf(real), copy: identityOf(copy) };
}

const maxDepth = 40;

/**
 * Lists the paths of all files and links below an open folder. `leftOut` contains the names of top-level
 * entries to skip.
 */
export function* listFiles(
  root: OpenHandle,
  leftOut: ReadonlySet<string> = new Set(),
  prefix = '',
  depth = 0,
): Generator<{ readonly path: string; readonly identity: string | undefined }> {
  if (depth > maxDepth) throw new Error('its folders are nested too deeply.');
  for (const entry of readdirSync(childBehind(root, '.'), { withFileTypes: true })) {
    if (leftOut.has(entry.name)) continue;
    const path = `${prefix}${entry.name}`;
    if (!entry.isDirectory()) {
      const stats = lstatSync(childBehind(root, entry.name), { bigint: true, throwIfNoEntry: false });
      yield { path, identity: stats?.isFile() === true ? identityOf(stats) : undefined };
      continue;
    }
    using folder = holdChild(root, entry.name, 'folder');
    if (folder !== undefined) yield* listFiles(folder, undefined, `${path}/`, depth + 1);
  }
}
