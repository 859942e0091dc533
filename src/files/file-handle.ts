import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';
import { AgentError } from '../core/error.ts';
import { foldersAround, isWithin, outside, type Area } from './paths.ts';

/** An open file or folder in a file scope. The caller that opened it must close it. */
export interface OpenHandle extends Disposable {
  readonly handle: number;
  /** The real path at the time of opening. */
  readonly path: string;
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY, O_DIRECTORY } = constants;

/**
 * Opens a regular file for reading by its real path. Checks the opened file instead of the path, so that a
 * path whose target was replaced is rejected. Never blocks on a FIFO.
 */
export function holdFile(roots: readonly string[], real: string, shown: string): OpenHandle {
  return hold(roots, real, O_NONBLOCK | O_NOCTTY, shown, (stats) => checkRegular(stats, shown));
}

/** Opens a folder by its real path, with the same checks as for a file. */
export function holdFolder(roots: readonly string[], real: string, shown: string): OpenHandle {
  return hold(roots, real, O_DIRECTORY, shown);
}

/**
 * Returns the real paths of the file scope's folders that contain a path. Throws if none of the
 * folders exists.
 */
export function realRoots(area: Area, located: string): readonly string[] {
  const folders = foldersAround(area, located);
  const roots = folders.flatMap((folder) => {
    try {
      return [realpathSync.native(folder)];
    } catch {
      return []; // A folder that does not exist cannot contain the path.
    }
  });
  if (roots.length > 0) return roots;
  throw new AgentError('usage.bad-input', `The folder "${folders[0] ?? located}" does not exist.`, {
    hint: 'Create the folder, or choose another workspace.',
  });
}

/** Returns whether a real path is in one of the folders. */
export function isInAny(roots: readonly string[], real: string): boolean {
  return roots.some((root) => isWithin(real, root));
}

/** Throws for folders, devices, sockets and FIFOs. */
export function checkRegular(stats: Pick<Stats, 'isFile' | 'isDirectory'>, shown: string): void {
  if (stats.isFile()) return;
  const kind = stats.isDirectory() ? 'a folder' : 'not a regular file';
  const hint = stats.isDirectory() ? 'Name a file in it; glob lists them.' : 'Use a regular file.';
  throw new AgentError('usage.bad-input', `"${shown}" is ${kind}.`, { hint });
}

function hold(
  roots: readonly string[],
  real: string,
  flags: number,
  shown: string,
  check: (stats: Stats) => void = () => undefined,
): OpenHandle {
  const handle = openSync(real, O_RDONLY | O_NOFOLLOW | flags);
  try {
    const path = pathBehind(handle, real);
    if (!isInAny(roots, path)) throw outside(shown);
    check(fstatSync(handle));
    return { handle, path, [Symbol.dispose]: () => closeSync(handle) };
  } catch (thrown) {
    closeSync(handle);
    throw thrown;
  }
}

const hasProcFd = process.platform === 'linux' && existsSync('/proc/self/fd');

/** Returns the current path of an open file or folder, even if it was moved after opening. */
export function pathBehind(handle: number, opened: string): string {
  return hasProcFd ? readlinkSync(`/proc/self/fd/${handle}`) : comparedPath(handle, opened);
}

/** Returns the path of an entry in an open folder. On Linux, this works even if the folder was replaced. */
export function childBehind(
  folder: { readonly handle: number; readonly path: string },
  name: string,
): string {
  return hasProcFd ? `/proc/self/fd/${folder.handle}/${name}` : join(folder.path, name);
}

/**
 * Returns an open file's real path on systems that cannot look it up from the file descriptor.
 * Throws if the path no longer refers to the open file.
 */
export function comparedPath(handle: number, opened: string): string {
  const path = realpathSync.native(opened);
  const [held, found] = [fstatSync(handle, { bigint: true }), lstatSync(path, { bigint: true })];
  if (held.dev === found.dev && held.ino === found.ino) return path;
  throw new AgentError('skill.failed', 'The file was replaced while it was being opened.', {
    hint: 'Try again.',
  });
}
