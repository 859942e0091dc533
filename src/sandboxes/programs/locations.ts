import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { below, isWithin } from '../../files/index.ts';
import { privateFolders, type Toolchain } from './toolchains.ts';

/** The locations that determine which paths may become visible in a sandbox. */
interface Locations {
  readonly realHome: string;
  /** The real path of each toolchain that is installed. */
  readonly roots: ReadonlyMap<Toolchain, string>;
}

/** Folders outside home folders in which users install toolchains. */
const shared = ['/opt', '/home/linuxbrew'];

/**
 * Returns whether a path may become visible in a sandbox. It must be below the home folder or a shared
 * folder, but not in a private folder unless it is part of a toolchain. Neither the path nor a folder above
 * it may be writable by all users.
 */
export function mayShow({ realHome, roots }: Locations, path: string): boolean {
  const area = [realHome, ...shared].find((one) => path !== one && isWithin(path, one));
  if (area === undefined) return false;
  const isPart = [...roots].some(([toolchain, root]) => {
    return path === root || (isWithin(path, root) && mayContain(toolchain, below(root, path)));
  });
  if (!isPart && privateFolders.some((name) => isWithin(path, join(realHome, name)))) return false;
  return foldersUpTo(path, area).every((one) => (statSync(one).mode & 0o002) === 0);
}

/** Returns whether one of the visible parts of a toolchain can contain a path relative to its root. */
export function mayContain({ parts }: Toolchain, path: string): boolean {
  const [first = ''] = path.split('/');
  return parts.some((part) => patternOf(part.split('/')[0] ?? '').test(first));
}

/** Returns the pattern for a name in which `*` matches any text. */
export function patternOf(name: string): RegExp {
  return new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
}

/**
 * Returns whether a folder belongs to a project. The files of a project become visible only through a
 * grant.
 */
export function isInProject({ realHome }: Locations, folder: string): boolean {
  if (folder.split('/').includes('node_modules')) return true;
  return foldersUpTo(folder, realHome).some((one) =>
    projectSigns.some((name) => existsSync(join(one, name))),
  );
}

const projectSigns = ['.git', '.hg', '.jj', '.skilled'];

/** Returns a path and the folders above it that are below `top`. */
function foldersUpTo(path: string, top: string): readonly string[] {
  if (path === top || !isWithin(path, top)) return [];
  return [path, ...foldersUpTo(dirname(path), top)];
}
