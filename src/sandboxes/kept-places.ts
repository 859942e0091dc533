import { closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import type { Grant } from '../core/sandbox.ts';
import { systemCode } from '../files/file-fault.ts';
import { pathBehind } from '../files/handle-path.ts';
import { holdFile, holdFolder, type Held } from '../files/held.ts';
import { below, childOf, isWithin } from '../files/paths.ts';

/** A place in a folder that may be written, open, which is put over itself in a sandbox. */
export interface KeptPlace extends Held {
  readonly isWritable: boolean;
}

/**
 * The files and folders that a grant keeps as they are, and those on the way to them, which can then neither be moved nor
 * be taken away; over files that it hides lies what cannot be opened. What is not there, or is a link, keeps nothing.
 * `real` is the real path of a granted folder.
 */
export function holdKept(
  { write, keep = [], hide = [] }: Pick<Grant, 'write' | 'keep' | 'hide'>,
  real: (folder: string) => string | undefined,
): readonly KeptPlace[] {
  const held = new Map<string, KeptPlace>();
  for (const folder of write.map((one) => resolve(one))) {
    const root = real(folder);
    if (root === undefined) continue;
    const hidden = new Set(hide.map((one) => resolve(one)));
    for (const path of outerFirst([...keep.map((one) => resolve(one)), ...hidden])) {
      if (path === folder || !isWithin(path, folder)) continue;
      const place = holdWay(held, root, below(folder, path).split(sep));
      if (place !== undefined && hidden.has(path)) held.set(place.path, coverOf(place));
    }
  }
  return [...held.values()];
}

/** What lies in a kept folder comes after it, and opens nothing of it again. */
function outerFirst(paths: readonly string[]): readonly string[] {
  const depth = (path: string): number => path.split(sep).length;
  return paths.toSorted((one, other) => depth(one) - depth(other));
}

/** The last place of a way, held with all before it; undefined when it is not there. */
function holdWay(
  held: Map<string, KeptPlace>,
  root: string,
  names: readonly string[],
): KeptPlace | undefined {
  let path = root;
  let isKept = false;
  for (const [index, name] of names.entries()) {
    path = childOf(path, name);
    const isLast = index === names.length - 1;
    const before = held.get(path);
    isKept ||= before?.isWritable === false;
    if (before !== undefined && (!isLast || !before.isWritable)) continue;
    const place = holdPlace(root, path);
    if (place === undefined) return undefined;
    before?.[Symbol.dispose]();
    held.set(path, { ...place, isWritable: !isLast && !isKept });
  }
  return held.get(path);
}

/** A device lies over the place: in a sandbox none can be opened that is not its own. */
function coverOf(place: KeptPlace): KeptPlace {
  place[Symbol.dispose]();
  const handle = openSync('/dev/null', 'r');
  return { path: place.path, isWritable: false, handle, [Symbol.dispose]: () => closeSync(handle) };
}

/**
 * Something to be mounted read-only over itself, whatever its kind and mode; undefined for what is not there, for a link,
 * and for what is elsewhere by now. Folders on the way to it may be renamed: the mount goes with them.
 */
export function holdReadOnly(path: string): KeptPlace | undefined {
  let handle: number;
  try {
    handle = openSync(path, pathOnly | constants.O_NOFOLLOW);
  } catch (thrown) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(systemCode(thrown) ?? '')) return undefined;
    throw thrown;
  }
  const close = (): void => closeSync(handle);
  if (pathBehind(handle, path) === path && !fstatSync(handle).isSymbolicLink())
    return { path, isWritable: false, handle, [Symbol.dispose]: close };
  close();
  return undefined;
}

const pathOnly = 0o10000000; // O_PATH of Linux, which Node does not name: neither reads nor waits, and needs no leave to read

/** Undefined for what is not there, for a link, and for what changed while it was opened. */
function holdPlace(root: string, path: string): Held | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true && stats?.isFile() !== true) return undefined;
  const place = stats.isDirectory() ? holdFolder([root], path, path) : holdFile([root], path, path);
  if (place.path === path) return place;
  place[Symbol.dispose]();
  return undefined;
}
