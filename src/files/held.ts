import { closeSync, constants, fstatSync, openSync, realpathSync, type Stats } from 'node:fs';
import { AgentError } from '../core/error.ts';
import { foldersAround, outside, type Area } from './area.ts';
import { pathBehind } from './handle-path.ts';
import { isWithin } from './paths.ts';

/** An open file or folder of an area; who has it closes it. */
export interface Held extends Disposable {
  readonly handle: number;
  /** Real path at the moment of opening. */
  readonly path: string;
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY, O_DIRECTORY } = constants;

/**
 * Opens a regular file for reading by its real path. What was opened is checked, not what the path meant before, so
 * that a path that comes to mean something else meanwhile is refused. Never waits for the other end of a FIFO.
 */
export function holdFile(roots: readonly string[], real: string, shown: string): Held {
  return hold(roots, real, O_NONBLOCK | O_NOCTTY, shown, (stats) => checkRegular(stats, shown));
}

/** Opens a folder by its real path, checked in the same way. */
export function holdFolder(roots: readonly string[], real: string, shown: string): Held {
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
): Held {
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
