import { isInAny, isWithin } from '../../files/index.ts';
import type { ProgramFolders } from '../programs/program-search.ts';
import { readOpenSockets, readSocketList } from '../protected/open-sockets.ts';
import { coverAt, holdReadOnly, type GrantedFolder, type GrantedFolders } from './grant-mounts.ts';

/** The open program folders of a sandbox. The caller must dispose of them. */
export interface ProgramMounts extends Pick<GrantedFolders, 'folders' | 'links'>, Disposable {
  /** Masks for files and sockets in the folders, to mount after all folders. */
  readonly covers: readonly GrantedFolder[];
  /** The folders to mask with an empty folder. */
  readonly emptied: readonly string[];
}

/** Opens the program folders that are not already visible through a grant. Never masks granted paths. */
export function holdPrograms(
  { shown, links, hiddenFiles, hiddenFolders }: ProgramFolders,
  granted: Pick<GrantedFolders, 'folders' | 'links'>,
): ProgramMounts {
  const paths = granted.folders.map(({ path }) => path);
  const given = [...paths, ...granted.links.map(({ path }) => path)];
  const folders = shown.filter((path) => !isInAny(paths, path)).flatMap((path) => holdReadOnly(path) ?? []);
  const mounted = folders.map(({ path }) => path);
  const isMasked = (path: string): boolean =>
    isInAny(mounted, path) && !given.some((one) => isWithin(one, path) || isWithin(path, one));
  const covers = [...hiddenFiles, ...findSockets(mounted)].filter(isMasked).map(coverAt);
  return {
    folders,
    links: links.filter(({ path }) => !given.some((one) => isWithin(one, path) || isWithin(path, one))),
    covers,
    emptied: hiddenFolders.filter(isMasked),
    [Symbol.dispose]: () => [...folders, ...covers].forEach((one) => one[Symbol.dispose]()),
  };
}

/**
 * Returns the open sockets in program folders. Reads the kernel's list of sockets, because the folders are
 * too large to search.
 */
function findSockets(folders: readonly string[]): readonly string[] {
  const text = folders.length === 0 ? undefined : readSocketList();
  if (text === undefined || !folders.some((folder) => text.includes(` ${folder}/`))) return [];
  const { paths = [] } = readOpenSockets(text).locate() ?? {};
  return paths.filter((path) => isInAny(folders, path));
}
