import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, statSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { AgentError, type Grant } from '../../core/index.ts';
import {
  below,
  childOf,
  fileFault,
  findRealPath,
  holdFile,
  holdFolder,
  isInAny,
  isWithin,
  outside,
  pathBehind,
  realPath,
  systemCode,
  type OpenHandle,
} from '../../files/index.ts';
import { systemFolders } from './system-mounts.ts';

/** A folder or a single file that is shown in a sandbox, open: whatever its path comes to mean, this one is shown. */
interface GrantedFolder extends OpenHandle {
  readonly isWritable: boolean;
}

/** What a grant shows of the host; who has it closes it. */
export interface GrantedFolders extends Disposable {
  /** At their real paths, outer ones before those in them. */
  readonly folders: readonly GrantedFolder[];
  /** Other spellings of those paths, as they were granted. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
}

/**
 * Opens what a grant names, as far as it exists: folders, and single files to read. One that lies in a folder that may be
 * written, and leads out of it, is refused: who writes there could have made the link. So is one in which the sandbox
 * has folders of its own. A folder with a copy is shown from that, with everything that is granted below it. `readOnly`
 * are real paths in folders that may be written, which may not.
 */
export function holdGranted(
  grant: Pick<Grant, 'read' | 'write' | 'keep' | 'hide' | 'from'>,
  readOnly: readonly string[] = [],
): GrantedFolders {
  const { read, write, from = {} } = grant;
  const writable = new Set(write.map((folder) => resolve(folder)));
  const asked = new Set([...writable, ...read.map((folder) => resolve(folder))]);
  const folders = new Map<string, GrantedFolder>();
  const links: { path: string; target: string }[] = [];
  const close = (): void => {
    for (const folder of folders.values()) folder[Symbol.dispose]();
  };
  try {
    for (const path of asked) {
      const held = holdOne(path, [...writable], writable.has(path));
      if (held === undefined) continue;
      if (
        held.path !== path &&
        !isInAny(
          [...asked].filter((other) => other !== path),
          path,
        )
      ) {
        links.push({ path, target: held.path });
      }
      if (folders.has(held.path)) held[Symbol.dispose]();
      else folders.set(held.path, held);
    }
    for (const place of holdKept(grant, findRealPath)) {
      folders.get(place.path)?.[Symbol.dispose]();
      folders.set(place.path, place);
    }
    for (const path of readOnly) {
      if (folders.get(path)?.isWritable === false) continue;
      const place = holdReadOnly(path);
      if (place === undefined) continue;
      folders.get(path)?.[Symbol.dispose]();
      folders.set(path, place);
    }
    for (const [path, copy] of Object.entries(from)) showCopy(folders, path, copy, grant);
  } catch (thrown) {
    close();
    throw thrown;
  }
  const depth = ({ path }: OpenHandle): number => path.split(sep).length;
  const inOrder = [...folders.values()].sort((one, other) => depth(one) - depth(other));
  return { folders: inOrder, links, [Symbol.dispose]: close };
}

/** Puts a copy over a folder, and over all that is shown in it: nothing of the folder itself is left, and what is hidden stays so. */
function showCopy(
  folders: Map<string, GrantedFolder>,
  path: string,
  copy: string,
  { write, hide = [] }: Pick<Grant, 'write' | 'hide'>,
): void {
  const real = findRealPath(resolve(path));
  if (real === undefined || write.some((folder) => isWithin(realPath(resolve(folder)), real)))
    throw notShown(path);
  const hidden = new Set(hide.map((file) => realPath(resolve(file))));
  for (const [inside, held] of folders) {
    if (!isWithin(inside, real)) continue;
    if (hidden.has(inside) && existsSync(join(copy, below(real, inside)))) continue;
    held[Symbol.dispose]();
    folders.delete(inside);
  }
  folders.set(real, { ...holdFolder([copy], copy, copy), path: real, isWritable: false });
}

function notShown(path: string): AgentError {
  return new AgentError('sandbox.unavailable', `The copy of ${path} cannot be shown there.`, {
    hint: 'Run it again.',
  });
}

/** Undefined for what is not there, or is there in every sandbox. */
function holdOne(path: string, writable: readonly string[], isWritable: boolean): GrantedFolder | undefined {
  const real = findRealPath(path);
  if (real === undefined || (!isWritable && isInAny(systemFolders, real))) return undefined;
  const around = writable.filter((folder) => folder !== path && isWithin(path, folder));
  const roots = around.flatMap((folder) => findRealPath(folder) ?? []);
  const held = open(roots.length === 0 ? [real] : roots, real, path, isWritable);
  const own = ownFolders.find((folder) => isWithin(folder, held.path));
  if (own === undefined && held.path === real) return { ...held, isWritable };
  held[Symbol.dispose]();
  throw own === undefined ? outside(path) : containsSystem(path, own);
}

function open(roots: readonly string[], real: string, path: string, isWritable: boolean): OpenHandle {
  try {
    const isFile = !isWritable && statSync(real).isFile();
    return isFile ? holdFile(roots, real, path) : holdFolder(roots, real, path);
  } catch (thrown) {
    throw fileFault(thrown, path);
  }
}

const ownFolders = [...systemFolders, '/etc', '/proc', '/dev', '/sys', '/run'];

function containsSystem(path: string, own: string): AgentError {
  return new AgentError('policy.denied', `"${path}" cannot be given to a sandbox: it has its own ${own}.`, {
    hint: 'Grant the folders that are needed, one by one.',
  });
}

/** A place in a folder that may be written, open, which is put over itself in a sandbox. */
interface KeptPlace extends OpenHandle {
  readonly isWritable: boolean;
}

/**
 * The files and folders that a grant keeps as they are, and those on the way to them, which can then neither be moved nor
 * be taken away; over files that it hides lies what cannot be opened. What is not there, or is a link, keeps nothing.
 * `real` is the real path of a granted folder.
 */
function holdKept(
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
function holdReadOnly(path: string): KeptPlace | undefined {
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
function holdPlace(root: string, path: string): OpenHandle | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true && stats?.isFile() !== true) return undefined;
  const place = stats.isDirectory() ? holdFolder([root], path, path) : holdFile([root], path, path);
  if (place.path === path) return place;
  place[Symbol.dispose]();
  return undefined;
}
