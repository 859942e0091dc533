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

/** Opens a folder or a regular file in an open folder; undefined for what is not there or is something else, such as a link. */
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

/** Opens the folder around a path in an open folder, never through a link; undefined where it is not there. */
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
    if (systemCode(thrown) !== 'EEXIST') throw thrown; // it is there, as mostly
  }
}

/** What changes whenever a file does: no process in a sandbox can set the time of its last change. */
function identityOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

/** The identity of what is at a path in an open folder; undefined for nothing and for a folder, which git removes when it is empty. */
export function identityAt(root: OpenHandle, path: string): string | undefined {
  const around = holdAround(root, path, false);
  if (around === undefined) return undefined;
  using folder = around.folder;
  const stats = lstatSync(childBehind(folder, around.name), { bigint: true, throwIfNoEntry: false });
  return stats === undefined || stats.isDirectory() ? undefined : identityOf(stats);
}

/** A file as it was copied. */
export interface Copied {
  readonly real: string;
  readonly copy: string;
}

/** Copies a regular file into another open folder; undefined for anything else. Shares its blocks where the file system can. */
export function copyFile(from: OpenHandle, name: string, to: OpenHandle): Copied | undefined {
  using file = holdChild(from, name, 'file');
  if (file === undefined) return undefined;
  const real = fstatSync(file.handle, { bigint: true });
  const target = childBehind(to, name);
  copyFileSync(`/proc/self/fd/${file.handle}`, target, COPYFILE_EXCL | COPYFILE_FICLONE);
  // Git looks closer at files that are as new as the index, so a copy must never be newer.
  const seconds = Number(real.mtimeMs) / 1000;
  utimesSync(target, seconds, seconds);
  const copy = lstatSync(target, { bigint: true });
  return { real: identityOf(real), copy: identityOf(copy) };
}

const mostDepth = 40;

/** Everything below an open folder that is not a folder, by its path, with the names at the top that are left out. */
export function* listFiles(
  root: OpenHandle,
  leftOut: ReadonlySet<string> = new Set(),
  prefix = '',
  depth = 0,
): Generator<{ readonly path: string; readonly identity: string | undefined }> {
  if (depth > mostDepth) throw new Error('its folders are too deep.');
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
