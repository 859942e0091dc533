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

/** An open file or folder of an area; who has it closes it. */
export interface OpenHandle extends Disposable {
  readonly handle: number;
  /** Real path at the moment of opening. */
  readonly path: string;
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY, O_DIRECTORY } = constants;

/**
 * Opens a regular file for reading by its real path. What was opened is checked, not what the path meant before, so
 * that a path that comes to mean something else meanwhile is refused. Never waits for the other end of a FIFO.
 */
export function holdFile(roots: readonly string[], real: string, shown: string): OpenHandle {
  return hold(roots, real, O_NONBLOCK | O_NOCTTY, shown, (stats) => checkRegular(stats, shown));
}

/** Opens a folder by its real path, checked in the same way. */
export function holdFolder(roots: readonly string[], real: string, shown: string): OpenHandle {
  return hold(roots, real, O_DIRECTORY, shown);
}

/** The folders of the area around a located path, without links; throws when none of them exists. */
export function realRoots(area: Area, located: string): readonly string[] {
  const folders = foldersAround(area, located);
  const roots = folders.flatMap((folder) => {
    try {
      return [realpathSync.native(folder)];
    } catch {
      return []; // nothing lies in a folder that is not there
    }
  });
  if (roots.length > 0) return roots;
  throw new AgentError('usage.bad-input', `The folder "${folders[0] ?? located}" does not exist.`, {
    hint: 'Make it, or choose another workspace.',
  });
}

/** Whether a real path lies in one of these folders. */
export function isInAny(roots: readonly string[], real: string): boolean {
  return roots.some((root) => isWithin(real, root));
}

/** Throws for folders, devices, sockets and FIFOs. */
export function checkRegular(stats: Pick<Stats, 'isFile' | 'isDirectory'>, shown: string): void {
  if (stats.isFile()) return;
  const kind = stats.isDirectory() ? 'a folder' : 'no regular file';
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

const isTold = process.platform === 'linux' && existsSync('/proc/self/fd');

/** Where the file or folder behind a handle is now, whatever the path that it was opened by means by now. */
export function pathBehind(handle: number, opened: string): string {
  return isTold ? readlinkSync(`/proc/self/fd/${handle}`) : comparedPath(handle, opened);
}

/** A path of a name in an open folder that leads into this very folder, even if another one stands in its place. */
export function childBehind(
  folder: { readonly handle: number; readonly path: string },
  name: string,
): string {
  return isTold ? `/proc/self/fd/${folder.handle}/${name}` : join(folder.path, name);
}

/** The same as `pathBehind` where no kernel tells it: the real path, if the handle is what is found there. */
export function comparedPath(handle: number, opened: string): string {
  const path = realpathSync.native(opened);
  const [held, found] = [fstatSync(handle, { bigint: true }), lstatSync(path, { bigint: true })];
  if (held.dev === found.dev && held.ino === found.ino) return path;
  throw new AgentError('skill.failed', 'The file was replaced while it was opened.', { hint: 'Try again.' });
}
