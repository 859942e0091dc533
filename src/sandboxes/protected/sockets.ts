import { lstatSync, readdirSync, readFileSync, type Dirent, type Stats } from 'node:fs';
import { basename, dirname } from 'node:path';
import { childOf, findRealPath, isInAny } from '../../files/index.ts';

const maxFolders = 500; // The maximum number of folders to search in each unwatched folder.

/**
 * Returns the real paths of sockets through which a sandboxed process could reach a program outside. `found`
 * lists the sockets in watched folders. Also searches `folders`; in large folders, finds only sockets that
 * the kernel lists.
 */
export function findHostSockets(found: readonly string[], folders: readonly string[]): readonly string[] {
  const roots = [...new Set(folders.flatMap((folder) => findRealPath(folder) ?? []))];
  const searches = roots.map((root) => ({ root, ...search(root) }));
  const cut = searches.flatMap(({ root, isCut }) => (isCut ? [root] : []));
  const sockets = new Set([...found, ...searches.flatMap((one) => one.sockets)]);
  if (sockets.size === 0 && cut.length === 0) return [];
  const open = openSockets();
  const listed = cut.length === 0 ? [] : listedPaths(open).filter((path) => isInAny(cut, path));
  return [...new Set([...sockets, ...listed])].filter((path) => isOfHost(path, open));
}

/**
 * Whether a program outside may listen on a socket. Returns false for sockets of this user that are not open,
 * so that a command can restart a server that it started earlier.
 */
function isOfHost(path: string, open: string | undefined): boolean {
  const stats = statsOf(path);
  if (stats?.isSocket() !== true) return false;
  const isOwn =
    stats.uid === process.getuid?.() && stats.nlink === 1 && stats.dev === statsOf(dirname(path))?.dev;
  if (!isOwn || open === undefined) return true;
  // Compares only file names, because a process can rename folders. OpenSSH initially adds a suffix.
  const name = basename(path);
  return ['/', ' '].some((before) => ['\n', '.'].some((after) => open.includes(`${before}${name}${after}`)));
}

/** Returns the kernel's list of open sockets. Each line ends with the socket's path. */
function openSockets(): string | undefined {
  try {
    return readFileSync('/proc/net/unix', 'utf8');
  } catch {
    return undefined; // Without the list, all sockets count as open.
  }
}

/** Returns the real paths of the sockets in the kernel's list that have absolute paths. */
function listedPaths(open = ''): readonly string[] {
  return [...open.matchAll(/^\S+(?: +\S+){6} (\/.+)$/gm)].flatMap(([, path = '']) => {
    const folder = findRealPath(dirname(path));
    return folder === undefined ? [] : [childOf(folder, basename(path))];
  });
}

/** A folder's subfolders and sockets at the time of its last listing. */
interface Listing {
  readonly inode: number;
  readonly changedAt: number;
  readonly folders: readonly string[];
  readonly sockets: readonly string[];
}

const listings = new Map<string, Listing>();
const maxListings = 20_000;
const settledMs = 50; // Longer than any kernel clock tick, since the kernel rounds ctimes down to a tick.

/** Searches a folder and the folders below it, outer folders first. */
function search(root: string): { readonly sockets: readonly string[]; readonly isCut: boolean } {
  const waiting = [root];
  const sockets: string[] = [];
  let isCut = false;
  for (const folder of waiting) {
    const listing = list(folder);
    if (listing === undefined) continue;
    const rest = maxFolders - waiting.length;
    isCut ||= listing.folders.length > rest;
    waiting.push(...listing.folders.slice(0, rest));
    sockets.push(...listing.sockets);
  }
  return { sockets, isCut };
}

function list(folder: string): Listing | undefined {
  const stats = statsOf(folder);
  if (stats?.isDirectory() !== true) return undefined;
  const known = listings.get(folder);
  if (known?.inode === stats.ino && known.changedAt === stats.ctimeMs) return known;
  const entries = entriesOf(folder);
  const pathsOf = (some: readonly Dirent[]): readonly string[] =>
    some.map(({ name }) => childOf(folder, name));
  const isSearched = ({ name }: Dirent): boolean => name !== 'objects' || basename(folder) !== '.git';
  const listing = {
    inode: stats.ino,
    changedAt: stats.ctimeMs,
    folders: pathsOf(entries.filter((entry) => entry.isDirectory() && isSearched(entry))),
    sockets: pathsOf(entries.filter((entry) => entry.isSocket())),
  };
  if (listings.size >= maxListings) listings.clear();
  if (stats.ctimeMs + settledMs < Date.now()) listings.set(folder, listing);
  return listing;
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // The folder is gone or not readable.
  }
}

/** Returns undefined if the path does not exist or cannot be reached. */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
