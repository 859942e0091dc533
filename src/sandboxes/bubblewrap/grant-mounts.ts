import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, statSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { AgentError, type Grant } from '../../core/index.ts';
import {
  below,
  childBehind,
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

/**
 * An open folder or file to mount in a sandbox. The handle keeps referring to this folder or file, even if
 * the path later leads elsewhere.
 */
export interface GrantedFolder extends OpenHandle {
  readonly isWritable: boolean;
}

/** The open host folders and files of a grant. The caller must dispose of them. */
export interface GrantedFolders extends Disposable {
  /** The folders and files with their real paths. Parent folders come before their subfolders. */
  readonly folders: readonly GrantedFolder[];
  /** Granted paths that contain symlinks, each with its real path. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
}

/**
 * Opens the folders and readable files of a grant. Skips paths that do not exist. Throws if a link leads
 * out of a writable folder, because a sandboxed process could have created the link. Also throws if a
 * folder contains one of the sandbox's own folders, such as `/etc`. If a folder has a copy in `from`, opens
 * the copy instead of the folder and everything granted below it. `readOnly` lists real paths in writable
 * folders that must be mounted read-only.
 */
export function holdGranted(
  grant: Pick<Grant, 'read' | 'write' | 'readOnly' | 'hide' | 'from'>,
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
    for (const mount of holdProtected(grant, findRealPath)) {
      folders.get(mount.path)?.[Symbol.dispose]();
      folders.set(mount.path, mount);
    }
    for (const path of readOnly) {
      if (folders.get(path)?.isWritable === false) continue;
      const mount = holdReadOnly(path);
      if (mount === undefined) continue;
      folders.get(path)?.[Symbol.dispose]();
      folders.set(path, mount);
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

/**
 * Replaces a file or folder and all mounts below it with a copy, so that processes cannot see the original. Files
 * that the grant hides are hidden in the copy too.
 */
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
  folders.set(real, { ...open([copy], copy, copy, false), path: real, isWritable: false });
}

function notShown(path: string): AgentError {
  return new AgentError('sandbox.unavailable', `The copy of ${path} cannot be mounted in the sandbox.`, {
    hint: 'Run it again.',
  });
}

/**
 * Opens a granted path. Returns undefined if the path does not exist or if every sandbox already contains
 * it.
 */
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
  return new AgentError(
    'policy.denied',
    `"${path}" cannot be granted to a sandbox: every sandbox has its own ${own}.`,
    {
      hint: 'Grant only the folders that the sandbox needs, one by one.',
    },
  );
}

/** An open file or folder in a writable folder, to mount over itself with its own access mode. */
interface HeldPath extends OpenHandle {
  readonly isWritable: boolean;
}

/**
 * Opens the paths that a grant makes read-only or hides. Also opens their parent folders, because a mounted
 * folder cannot be moved or removed. Masks hidden files with a device file that processes cannot open. Does
 * not protect missing paths and symbolic links. `real` must return the real path of a granted folder.
 */
function holdProtected(
  { write, readOnly = [], hide = [] }: Pick<Grant, 'write' | 'readOnly' | 'hide'>,
  real: (folder: string) => string | undefined,
): readonly HeldPath[] {
  const held = new Map<string, HeldPath>();
  for (const folder of write.map((one) => resolve(one))) {
    const root = real(folder);
    if (root === undefined) continue;
    const hidden = new Set(hide.map((one) => resolve(one)));
    for (const path of outerFirst([...readOnly.map((one) => resolve(one)), ...hidden])) {
      if (path === folder || !isWithin(path, folder)) continue;
      const mount = holdWay(held, root, below(folder, path).split(sep));
      if (mount !== undefined && hidden.has(path)) held.set(mount.path, coverOf(mount));
    }
  }
  return [...held.values()];
}

/**
 * Sorts parent folders before their subfolders. In this order, no mount makes a path in a protected folder
 * writable again.
 */
function outerFirst(paths: readonly string[]): readonly string[] {
  const depth = (path: string): number => path.split(sep).length;
  return paths.toSorted((one, other) => depth(one) - depth(other));
}

/**
 * Opens each folder along a path, and then the path itself. Returns undefined if any of them does not
 * exist.
 */
function holdWay(held: Map<string, HeldPath>, root: string, names: readonly string[]): HeldPath | undefined {
  let path = root;
  let isReadOnly = false;
  for (const [index, name] of names.entries()) {
    path = childOf(path, name);
    const isLast = index === names.length - 1;
    const before = held.get(path);
    isReadOnly ||= before?.isWritable === false;
    if (before !== undefined && (!isLast || !before.isWritable)) continue;
    const mount = holdPath(root, path);
    if (mount === undefined) return undefined;
    before?.[Symbol.dispose]();
    held.set(path, { ...mount, isWritable: !isLast && !isReadOnly });
  }
  return held.get(path);
}

/**
 * Opens a mask for each socket that is visible in a mounted folder. Processes cannot connect to a masked
 * socket.
 */
export function coverSockets(
  mounted: GrantedFolders['folders'],
  sockets: readonly string[] = [],
): Pick<GrantedFolders, 'folders'> & Disposable {
  const folders = sockets.flatMap((path) => {
    const around = mounted.findLast((folder) => isWithin(path, folder.path));
    return around !== undefined && showsSocket(around, path) ? [coverAt(path)] : [];
  });
  return { folders, [Symbol.dispose]: () => folders.forEach((one) => one[Symbol.dispose]()) };
}

function showsSocket(mount: GrantedFolder, path: string): boolean {
  if (path === mount.path) return fstatSync(mount.handle).isSocket();
  const inside = childBehind(mount, below(mount.path, path));
  return lstatSync(inside, { throwIfNoEntry: false })?.isSocket() === true;
}

function coverOf(mount: HeldPath): HeldPath {
  mount[Symbol.dispose]();
  return coverAt(mount.path);
}

/**
 * Opens a device file to mount over a path. Processes then cannot open the path, because a sandbox can open
 * only its own devices.
 */
export function coverAt(path: string): HeldPath {
  const handle = openSync('/dev/null', 'r');
  return { path, isWritable: false, handle, [Symbol.dispose]: () => closeSync(handle) };
}

/**
 * Opens a path to mount it read-only over itself. The path can be a file or folder of any kind and mode. If a
 * process renames a parent folder, the mount moves with the folder. Returns undefined if the path does not
 * exist, is a link, or has just been moved.
 */
export function holdReadOnly(path: string): HeldPath | undefined {
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

// The flag O_PATH of Linux, which Node does not export. Opening with it needs no read permission and never
// blocks.
const pathOnly = 0o10000000;

/** Opens a file or folder. Returns undefined if it does not exist, is a link, or has just been moved. */
function holdPath(root: string, path: string): OpenHandle | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true && stats?.isFile() !== true) return undefined;
  const mount = stats.isDirectory() ? holdFolder([root], path, path) : holdFile([root], path, path);
  if (mount.path === path) return mount;
  mount[Symbol.dispose]();
  return undefined;
}
