import { lstatSync, readdirSync, type Dirent, type Stats } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { childOf, dependencyFolder, protectedName, runsLater, systemCode } from '../../files/index.ts';

/** A workspace folder as of its last listing. */
export interface WorkspaceFolder {
  readonly path: string;
  readonly name: string;
  readonly parent: WorkspaceFolder | undefined;
  readonly isInDependencies: boolean;
  /** The number of the scan that first found the folder. */
  readonly since: number;
  /** The device number. Zero until the folder is listed for the first time. */
  device: number;
  inode: number;
  changedAt: number;
  /**
   * Whether the folder's ctime was old enough at the last listing. If so, every later change gives a
   * different ctime.
   */
  isSettled: boolean;
  /** The folder's subfolders, except protected ones. */
  readonly children: Map<string, WorkspaceFolder>;
  found: readonly FoundPath[];
  /** The names of files in the folder that users may run later. */
  programs: readonly string[];
  /** The names of Unix sockets directly in the folder. */
  sockets: readonly string[];
}

/** A protected path in a workspace, or a folder that cannot be read. */
export interface FoundPath {
  readonly kind: 'listed' | 'bare' | 'unchecked';
  /** The folder that contains the path. */
  readonly at: WorkspaceFolder;
  readonly name: string;
  readonly isLink: boolean;
  /** Whether the path makes its folder a repository. */
  readonly isRepository: boolean;
  readonly reason: string;
  /**
   * The number of the scan that first found the path. For a bare repository, the scan that found its folder.
   */
  readonly since: number;
}

/** A workspace with all its folders. A scan lists only folders whose ctime has changed. */
interface ProtectedTree {
  /**
   * Checks every folder and returns all protected paths. If there are more folders than the limit, returns
   * the new ones as `unchecked`.
   */
  walk(): Promise<readonly FoundPath[]>;
  /**
   * Returns a stamp for each file that users may run later, keyed by path. A stamp changes whenever its file
   * changes. Uses the folders of the last scan, and stops after about 2,000 files.
   */
  stampPrograms(): ReadonlyMap<string, string>;
  /** The paths of the Unix sockets that the last scan found. */
  readonly sockets: readonly string[];
  /** The number of the last scan. */
  readonly walks: number;
  /** Whether the last scan found more folders than the limit. */
  readonly isCut: boolean;
}

const settledMs = 50; // In milliseconds. Longer than the kernel's clock tick, to which ctimes are rounded.
const listingCost = 4; // The cost of listing a folder, relative to the cost of checking its ctime.
const costOfTurn = 4000;
const maxPrograms = 2000;

/**
 * Creates a tree for the workspace at a path. A process can set the mtime of a folder but not its ctime, so
 * a folder whose ctime is unchanged still has the same entries. Scans do not list protected folders.
 */
export function createProtectedTree(path: string, maxFolders: number): ProtectedTree {
  const root = newFolder(path, '', undefined, 0);
  let walks = 0;
  let folders = 1;
  let isCut = false;
  let sockets: string[] = [];

  const look = (folder: WorkspaceFolder): 'gone' | 'known' | 'listed' => {
    const now = Date.now();
    const stats = statsOf(folder);
    if (stats?.isDirectory() !== true) return 'gone';
    const isSame = folder.inode === stats.ino && folder.device === stats.dev;
    if (isSame && folder.isSettled && folder.changedAt === stats.ctimeMs) return 'known';
    if (!isSame) folder.children.clear();
    folder.inode = stats.ino;
    folder.device = stats.dev;
    folder.changedAt = stats.ctimeMs;
    folder.isSettled = stats.ctimeMs + settledMs < now;
    list(folder, stats, walks, () => {
      folders += 1;
      isCut ||= folders > maxFolders;
      return folders <= maxFolders;
    });
    return 'listed';
  };

  return {
    get walks() {
      return walks;
    },
    get isCut() {
      return isCut;
    },
    get sockets() {
      return sockets;
    },
    stampPrograms() {
      const stamps = new Map<string, string>();
      const waiting = [root];
      for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
        for (const name of folder.programs) {
          const path = childOf(folder.path, name);
          const stats = lstatSync(path, { throwIfNoEntry: false });
          if (stats !== undefined) stamps.set(path, `${stats.ino}:${stats.size}:${stats.ctimeMs}`);
        }
        if (stamps.size > maxPrograms) return stamps;
        for (const child of folder.children.values()) waiting.push(child);
      }
      return stamps;
    },
    async walk() {
      walks += 1;
      isCut = false;
      const found: FoundPath[] = [];
      sockets = [];
      const waiting = [root];
      let [visited, cost] = [0, 0];
      for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
        const result = look(folder);
        cost += result === 'listed' ? listingCost : 1;
        if (result === 'gone') folder.parent?.children.delete(folder.name);
        else {
          visited += 1;
          if (folder.found.length > 0) found.push(...folder.found);
          for (const name of folder.sockets) sockets.push(childOf(folder.path, name));
          for (const child of folder.children.values()) waiting.push(child);
        }
        if (cost < costOfTurn) continue;
        cost = 0;
        await nextTurn();
      }
      folders = visited;
      return found;
    },
  };
}

function newFolder(
  path: string,
  name: string,
  parent: WorkspaceFolder | undefined,
  since: number,
): WorkspaceFolder {
  const isInDependencies = parent?.isInDependencies === true || name === dependencyFolder;
  return {
    path,
    name,
    parent,
    isInDependencies,
    since,
    device: 0,
    inode: 0,
    changedAt: 0,
    isSettled: false,
    children: new Map(),
    found: [],
    programs: [],
    sockets: [],
  };
}

/**
 * Returns a folder's stats. Returns undefined if the folder does not exist or its path is too long. The
 * listing of its parent folder reports paths that are too long.
 */
function statsOf({ path }: WorkspaceFolder): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (thrown) {
    if (['EACCES', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'].includes(systemCode(thrown) ?? '')) return undefined;
    throw thrown;
  }
}

/** Lists a folder and updates its data. Keeps the data of subfolders that still exist. */
function list(folder: WorkspaceFolder, stats: Stats, walk: number, mayAdd: () => boolean): void {
  const before = new Map(folder.children);
  folder.children.clear();
  const entries = isClosed(stats) ? undefined : entriesOf(folder.path);
  if (entries === undefined) {
    folder.programs = [];
    folder.sockets = [];
    folder.found = isOwn(stats) ? [uncheckable(folder, 'it cannot be read.')] : [];
    return;
  }
  const found: FoundPath[] = isBare(entries) ? [bareAt(folder)] : [];
  const programs: string[] = [];
  folder.sockets = entries.filter((entry) => entry.isSocket()).map(({ name }) => name);
  for (const entry of entries) {
    const { name } = entry;
    const listed = protectedName(folder.name, name, folder.isInDependencies);
    if (listed !== undefined) {
      const { reason, isRepository = false } = listed;
      const isLink = entry.isSymbolicLink();
      found.push({ kind: 'listed', at: folder, name, isLink, isRepository, reason, since: walk });
    } else if (entry.isDirectory()) {
      const known = before.get(name);
      const why = known === undefined ? whyUnchecked(folder, name, mayAdd) : undefined;
      if (why === undefined)
        folder.children.set(name, known ?? newFolder(childOf(folder.path, name), name, folder, walk));
      else found.push(unchecked(folder, name, why, walk));
    } else if (!folder.isInDependencies && runsLater(folder.name, name)) programs.push(name);
  }
  folder.found = found;
  folder.programs = programs;
}

// The maximum length of a path in bytes. The system allows 4,096, but a file gets a longer path when skilled
// moves it aside.
const longestPath = 4000;

function whyUnchecked({ path }: WorkspaceFolder, name: string, mayAdd: () => boolean): string | undefined {
  if (name.includes('\u{fffd}')) return 'its name is not valid UTF-8, so it cannot be read.';
  if (Buffer.byteLength(path) + Buffer.byteLength(name) > longestPath) return 'its path is too long.';
  return mayAdd() ? undefined : 'there are too many folders to check all of them.';
}

function unchecked(at: WorkspaceFolder, name: string, reason: string, since: number): FoundPath {
  return { kind: 'unchecked', at, name, isLink: false, isRepository: false, reason, since };
}

function uncheckable(folder: WorkspaceFolder, reason: string): FoundPath {
  return unchecked(folder.parent ?? folder, folder.name, reason, folder.since);
}

function bareAt(folder: WorkspaceFolder): FoundPath {
  const reason = 'it is a repository, and git runs programs from its configuration.';
  const shared = { kind: 'bare', isLink: false, isRepository: true, reason, since: folder.since } as const;
  const { parent, name } = folder;
  return parent === undefined ? { ...shared, at: folder, name: 'HEAD' } : { ...shared, at: parent, name };
}

/** Returns whether git would treat a folder with these entries as a repository. */
function isBare(entries: readonly Dirent[]): boolean {
  const names = new Set(entries.map(({ name }) => name.toLowerCase()));
  return names.has('head') && (names.has('commondir') || (names.has('objects') && names.has('refs')));
}

function entriesOf(path: string): readonly Dirent[] | undefined {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return undefined; // The folder is gone or not readable.
  }
}

function isOwn({ uid }: Stats): boolean {
  return uid === process.getuid?.();
}

/**
 * Returns whether the owner of a folder lacks permission to list it. Processes may still be able to open
 * paths in the folder.
 */
function isClosed(stats: Stats): boolean {
  return isOwn(stats) && stats.uid !== 0 && (stats.mode & 0o500) !== 0o500;
}
