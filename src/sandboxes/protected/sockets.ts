import { accessSync, constants, lstatSync, readdirSync, type Dirent, type Stats } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AgentError } from '../../core/index.ts';
import { childOf, findRealPath, isInAny } from '../../files/index.ts';
import { readOpenSockets, type OpenSockets } from './open-sockets.ts';

/** The folders in which a sandboxed process could reach sockets. */
export interface SocketSearch {
  /** The sockets in folders that have already been searched. */
  readonly found: readonly string[];
  /** The folders to search. */
  readonly folders: readonly string[];
  /** Folders that have already been searched, but not completely. */
  readonly incomplete?: readonly string[];
}

const maxFolders = 100_000;

/**
 * Returns the real paths of the sockets through which a sandboxed process could reach a program outside the
 * sandbox. If a folder cannot be searched completely, returns only those of its sockets that the kernel
 * lists. Throws `sandbox.unavailable` if the kernel lists a socket whose folder is unknown. `most` is the
 * maximum number of folders to search in each of the given folders.
 */
export async function findHostSockets(
  { found, folders, incomplete = [] }: SocketSearch,
  { most = maxFolders, list = readOpenSockets } = {},
): Promise<readonly string[]> {
  const sockets = new Set(found);
  const unsearched = [...incomplete];
  const searched: string[] = [];
  const roots = new Set(folders.flatMap((folder) => findRealPath(folder) ?? []));
  // Sorting puts a folder after the folders that contain it.
  for (const root of [...roots].sort()) {
    if (isInAny(searched, root)) continue;
    const search = await searchFolder(root, most);
    for (const socket of search.sockets) sockets.add(socket);
    (search.isComplete ? searched : unsearched).push(root);
  }
  if (sockets.size === 0 && unsearched.length === 0) return [];
  const open = list();
  for (const path of listedIn(unsearched, open)) sockets.add(path);
  return [...sockets].filter((path) => isOfHost(path, open));
}

function listedIn(folders: readonly string[], open: OpenSockets): readonly string[] {
  const [first] = folders;
  if (first === undefined) return [];
  const { paths, unknown } = open.locate() ?? { paths: [], unknown: ['/proc/net/unix'] };
  const [name] = unknown;
  if (name === undefined) return paths.filter((path) => isInAny(folders, path));
  const message = `"${first}" cannot be searched completely for the Unix sockets of running programs, and "${name}" could be one of them.`;
  throw new AgentError('sandbox.unavailable', message, {
    hint: `Grant a smaller folder, in which skilled can read all of up to ${maxFolders.toLocaleString('en')} folders.`,
    details: { folder: first, socket: name },
  });
}

/**
 * Returns whether a program outside the sandbox may be listening on a socket. Returns false for sockets of
 * this user that are not open, so that a command can restart a server that it started earlier.
 */
function isOfHost(path: string, open: OpenSockets): boolean {
  const stats = statsOf(path);
  if (stats?.isSocket() !== true) return false;
  const isOwn =
    stats.uid === process.getuid?.() && stats.nlink === 1 && stats.dev === statsOf(dirname(path))?.dev;
  return !isOwn || open.hasName(basename(path));
}

/** A folder's subfolders and sockets at the time of its last listing. */
interface Listing {
  readonly inode: number;
  readonly changedAt: number;
  readonly folders: readonly string[];
  readonly sockets: readonly string[];
  /** Whether the listing contains all folders and sockets that processes could reach. */
  readonly isComplete: boolean;
}

const listings = new Map<string, Listing>();
const maxListings = 100_000;
const settledMs = 50; // In milliseconds. Longer than the kernel's clock tick, to which ctimes are rounded.
const foldersPerTurn = 1000; // The number of folders to check before yielding to other work.

/** Searches a folder and its subfolders, level by level. Stops after `most` folders. */
async function searchFolder(
  root: string,
  most: number,
): Promise<{ readonly sockets: readonly string[]; readonly isComplete: boolean }> {
  const waiting = [root];
  const sockets: string[] = [];
  let isComplete = true;
  let visited = 0;
  for (const folder of waiting) {
    visited += 1;
    if (visited % foldersPerTurn === 0) await nextTurn();
    const listing = listFolder(folder);
    if (listing === undefined) continue;
    const rest = most - waiting.length;
    isComplete &&= listing.isComplete && listing.folders.length <= rest;
    for (const path of listing.folders.slice(0, rest)) waiting.push(path);
    for (const path of listing.sockets) sockets.push(path);
  }
  return { sockets, isComplete };
}

const nothing: readonly string[] = [];

/** Lists a folder. Returns undefined if the path is not a folder. */
function listFolder(folder: string): Listing | undefined {
  const stats = statsOf(folder);
  if (stats?.isDirectory() !== true) return undefined;
  const known = listings.get(folder);
  if (known?.inode === stats.ino && known.changedAt === stats.ctimeMs) return known;
  const entries = entriesOf(folder);
  const pathsOf = (some: readonly Dirent[] = []): readonly string[] =>
    some.length === 0 ? nothing : some.map(({ name }) => childOf(folder, name));
  const listing = {
    inode: stats.ino,
    changedAt: stats.ctimeMs,
    folders: pathsOf(entries?.filter((entry) => entry.isDirectory())),
    sockets: pathsOf(entries?.filter((entry) => entry.isSocket())),
    isComplete: entries?.every((entry) => isReachable(folder, entry)) ?? !mayEnter(folder),
  };
  if (listings.size >= maxListings) listings.clear();
  if (stats.ctimeMs + settledMs < Date.now()) listings.set(folder, listing);
  return listing;
}

// The maximum length of a folder's path, in bytes. The system allows 4,096 bytes for the paths inside the
// folder.
const longestPath = 3800;

/**
 * Returns whether the path of a folder or socket can be read. Returns true for files, which are not
 * searched.
 */
function isReachable(folder: string, entry: Dirent): boolean {
  if (!entry.isDirectory() && !entry.isSocket()) return true;
  return !entry.name.includes('\u{fffd}') && Buffer.byteLength(folder) < longestPath;
}

function entriesOf(folder: string): readonly Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return undefined; // The folder is gone or not readable.
  }
}

/** Returns whether this user can open paths in a folder, even if the folder cannot be listed. */
function mayEnter(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the stats of a path, or undefined if the path does not exist or cannot be reached. */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
