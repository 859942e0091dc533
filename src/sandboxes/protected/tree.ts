import { lstatSync, readdirSync, type Dirent, type Stats } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { childOf, dependencyFolder, protectedName, runsLater, systemCode } from '../../files/index.ts';

/** A folder of a workspace as it was when it was last listed. */
export interface WorkspaceFolder {
  readonly path: string;
  readonly name: string;
  readonly parent: WorkspaceFolder | undefined;
  readonly isInDependencies: boolean;
  /** The walk in which it was first seen. */
  readonly since: number;
  /** Zero before it was first looked at. */
  device: number;
  inode: number;
  changedAt: number;
  /** Its time of change is old enough that any later change has another one. */
  isSettled: boolean;
  /** Folders in it, without protected ones. */
  readonly children: Map<string, WorkspaceFolder>;
  found: readonly FoundPath[];
  /** Names of files in it that people run later. */
  programs: readonly string[];
}

/** A protected path in a workspace, or a folder that cannot be looked into. */
export interface FoundPath {
  readonly kind: 'listed' | 'bare' | 'unchecked';
  /** The folder that it is in. */
  readonly at: WorkspaceFolder;
  readonly name: string;
  readonly isLink: boolean;
  /** It makes a folder a repository. */
  readonly isRepository: boolean;
  readonly reason: string;
  /** The walk in which a bare repository was first seen as a folder. */
  readonly since: number;
}

/** A folder and all below it, of which only those are listed again whose time of change is another one. */
interface ProtectedTree {
  /** Looks at every folder; resolves with all that is protected. New folders above the limit are `unchecked`. */
  walk(): Promise<readonly FoundPath[]>;
  /** What tells versions of the files apart that people run later, by path, as of the last walk; not of all where there are very many. */
  stampPrograms(): ReadonlyMap<string, string>;
  /** The number of the last walk. */
  readonly walks: number;
  /** Whether there were more folders than the limit in the last walk. */
  readonly isCut: boolean;
}

const settledMs = 50; // more than any clock tick of a kernel, by which it rounds times of change down
const listingCost = 4; // compared with looking at a folder
const costOfTurn = 4000;
const mostPrograms = 2000;

/**
 * Processes can set a time of modification back, but not a time of change, so folders with the same one have the same
 * names in them. Nothing is skipped but what is protected itself.
 */
export function createProtectedTree(path: string, mostFolders: number): ProtectedTree {
  const root = newFolder(path, '', undefined, 0);
  let walks = 0;
  let folders = 1;
  let isCut = false;

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
      isCut ||= folders > mostFolders;
      return folders <= mostFolders;
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
    stampPrograms() {
      const stamps = new Map<string, string>();
      const waiting = [root];
      for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
        for (const name of folder.programs) {
          const path = childOf(folder.path, name);
          const stats = lstatSync(path, { throwIfNoEntry: false });
          if (stats !== undefined) stamps.set(path, `${stats.ino}:${stats.size}:${stats.ctimeMs}`);
        }
        if (stamps.size > mostPrograms) return stamps;
        for (const child of folder.children.values()) waiting.push(child);
      }
      return stamps;
    },
    async walk() {
      walks += 1;
      isCut = false;
      const found: FoundPath[] = [];
      const waiting = [root];
      let [visited, cost] = [0, 0];
      for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
        const seen = look(folder);
        cost += seen === 'listed' ? listingCost : 1;
        if (seen === 'gone') folder.parent?.children.delete(folder.name);
        else {
          visited += 1;
          if (folder.found.length > 0) found.push(...folder.found);
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
  };
}

/** Undefined for what is not there; a path that is too long was checked when its folder was listed. */
function statsOf({ path }: WorkspaceFolder): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (thrown) {
    if (['EACCES', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'].includes(systemCode(thrown) ?? '')) return undefined;
    throw thrown;
  }
}

/** Takes over the names in a folder; what was known of folders that are still there is kept. */
function list(folder: WorkspaceFolder, stats: Stats, walk: number, mayAdd: () => boolean): void {
  const before = new Map(folder.children);
  folder.children.clear();
  const entries = isClosed(stats) ? undefined : entriesOf(folder.path);
  if (entries === undefined) {
    folder.programs = [];
    folder.found = isOwn(stats) ? [uncheckable(folder, 'it cannot be looked into.')] : [];
    return;
  }
  const found: FoundPath[] = isBare(entries) ? [bareAt(folder)] : [];
  const programs: string[] = [];
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

const longestPath = 4000; // bytes; the system allows 4096, and names are added when something is moved

function whyUnchecked({ path }: WorkspaceFolder, name: string, mayAdd: () => boolean): string | undefined {
  if (name.includes('\u{fffd}')) return 'its name is not valid UTF-8, so it cannot be looked into.';
  if (Buffer.byteLength(path) + Buffer.byteLength(name) > longestPath) return 'its path is too long.';
  return mayAdd() ? undefined : 'there are too many folders to look into all of them.';
}

function unchecked(at: WorkspaceFolder, name: string, reason: string, since: number): FoundPath {
  return { kind: 'unchecked', at, name, isLink: false, isRepository: false, reason, since };
}

function uncheckable(folder: WorkspaceFolder, reason: string): FoundPath {
  return unchecked(folder.parent ?? folder, folder.name, reason, folder.since);
}

function bareAt(folder: WorkspaceFolder): FoundPath {
  const reason = 'it is a repository, and git runs programs that it names.';
  const shared = { kind: 'bare', isLink: false, isRepository: true, reason, since: folder.since } as const;
  const { parent, name } = folder;
  return parent === undefined ? { ...shared, at: folder, name: 'HEAD' } : { ...shared, at: parent, name };
}

/** Whether git would take a folder for a repository by what is in it. */
function isBare(entries: readonly Dirent[]): boolean {
  const names = new Set(entries.map(({ name }) => name.toLowerCase()));
  return names.has('head') && (names.has('commondir') || (names.has('objects') && names.has('refs')));
}

function entriesOf(path: string): readonly Dirent[] | undefined {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return undefined; // it is gone, or not for us
  }
}

function isOwn({ uid }: Stats): boolean {
  return uid === process.getuid?.();
}

/** Whether its owner took away what it takes to look into it: names in it could still be used. */
function isClosed(stats: Stats): boolean {
  return isOwn(stats) && stats.uid !== 0 && (stats.mode & 0o500) !== 0o500;
}
