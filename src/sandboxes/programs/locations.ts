import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { below, isWithin } from '../../files/index.ts';
import { privateFolders, type Toolchain } from './toolchains.ts';

/** The locations that decide what may become visible. */
interface Locations {
  readonly realHome: string;
  /** The real path of each toolchain that is installed. */
  readonly roots: ReadonlyMap<Toolchain, string>;
}

/** Folders outside home folders in which users install toolchains. */
const shared = ['/opt', '/home/linuxbrew'];

/**
 * Whether a path may become visible: it is below the home folder, but not in its private folders, and not every
 * user may change it or a folder around it.
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

/** Whether one of the visible parts of a toolchain can contain a path relative to its root. */
export function mayContain({ parts }: Toolchain, path: string): boolean {
  const [first = ''] = path.split('/');
  return parts.some((part) => patternOf(part.split('/')[0] ?? '').test(first));
}

/** Returns the pattern for a name in which `*` stands for any text. */
export function patternOf(name: string): RegExp {
  return new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
}

/** Whether a folder belongs to a project, whose files only a grant makes visible. */
export function isInProject({ realHome }: Locations, folder: string): boolean {
  if (folder.split('/').includes('node_modules')) return true;
  return foldersUpTo(folder, realHome).some((one) =>
    projectSigns.some((name) => existsSync(join(one, name))),
  );
}

const projectSigns = ['.git', '.hg', '.jj', '.skilled'];

/** Returns a path and the folders around it that are below `top`. */
function foldersUpTo(path: string, top: string): readonly string[] {
  if (path === top || !isWithin(path, top)) return [];
  return [path, ...foldersUpTo(dirname(path), top)];
}
