import { readlinkSync, realpathSync } from 'node:fs';
import { AgentError, type Grant, type RejectedChange } from '../../core/index.ts';
import { childOf, findRealPath, isWithin } from '../../files/index.ts';
import { findGitFolders } from '../git/folders.ts';
import type { SettledChanges } from '../process/process-group.ts';
import { holdSkilledFolder, moveAside, notMoved } from './reject.ts';
import { markRunning, type RunningMark } from './running-mark.ts';
import { findHostSockets } from './sockets.ts';
import { createProtectedTree, type FoundPath } from './tree.ts';

/** Watches the protected paths in folders that a process can write to. */
export interface ProtectedWatch {
  /** The real paths of existing protected paths, to mount read-only. */
  readonly paths: readonly string[];
  /** The real paths of sockets that programs outside the sandbox listen on. */
  readonly sockets: readonly string[];
  /**
   * Moves aside all paths that have appeared since the scan. Call it repeatedly while a process runs, and
   * once with `isLast` after the process has ended.
   */
  settle(isLast: boolean): Promise<SettledChanges>;
}

/**
 * Scans a grant's writable folders before a process starts. `fallback` is a folder for the marks of running
 * processes. It also holds the rejected changes of workspaces without `.skilled`.
 */
export async function watchProtected(grant: Grant, fallback: string | undefined): Promise<ProtectedWatch> {
  const roots = [...new Set(grant.write.map(findRealPath).filter((root) => root !== undefined))];
  const session: Session = {
    rejected: [],
    programs: new Map(),
    changed: new Set(),
    mayCreateRepositories: grant.mayCreateRepositories === true,
  };
  const watched = roots.map((root) => workspaceAt(root, fallback));
  const settle = async (isLast: boolean): Promise<SettledChanges> => {
    const ends = await Promise.allSettled(watched.map((one) => one.sweep(session, isLast)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    return { rejected: shorten(session.rejected), changedPrograms: [...session.changed] };
  };
  try {
    const entered = await Promise.all(watched.map((one) => one.enter(session)));
    const paths = entered.flatMap((one) => one.paths);
    const found = entered.flatMap((one) => one.sockets);
    const git = roots.flatMap((root) => {
      const { gitDir = childOf(root, '.git'), commonDir = gitDir } = findGitFolders(root)?.folders ?? {};
      return [gitDir, commonDir];
    });
    const sockets = findHostSockets(found, [...grant.read, ...paths, ...git]);
    if (paths.length + sockets.length > maxMounts)
      throw tooMany(roots[0] ?? '', 'protected paths', maxMounts);
    return { paths, sockets, settle };
  } catch (thrown) {
    await settle(true);
    throw thrown;
  }
}

/** A process that writes in a workspace. */
interface Session {
  /** Changes rejected while the process ran, regardless of which process made them. */
  readonly rejected: RejectedChange[];
  /** Stamps of files that users may run later, keyed by path, as of the start of the process. */
  readonly programs: Map<string, string>;
  /** The stamped files that changed while the process ran, regardless of which process changed them. */
  readonly changed: Set<string>;
  readonly mayCreateRepositories: boolean;
}

interface Workspace {
  /** Returns the existing protected paths and all sockets. */
  enter(
    session: Session,
  ): Promise<{ readonly paths: readonly string[]; readonly sockets: readonly string[] }>;
  sweep(session: Session, isLast: boolean): Promise<void>;
  isIdle(): boolean;
}

const workspaces = new Map<string, Workspace>();
const maxIdle = 8;

/** Returns the shared workspace for a folder, so that concurrent commands list its subfolders only once. */
function workspaceAt(root: string, fallback: string | undefined): Workspace {
  const known = workspaces.get(root);
  const workspace = known ?? createWorkspace(root, fallback);
  // Moves the workspace to the end, so that least recently used workspaces come first.
  workspaces.delete(root);
  const idle = [...workspaces].filter(([, one]) => one.isIdle());
  for (const [path] of idle.slice(0, Math.max(idle.length - maxIdle, 0))) workspaces.delete(path);
  workspaces.set(root, workspace);
  return workspace;
}

const maxFolders = 100_000;
const maxMounts = 500; // Each additional mount slows down bubblewrap.

function createWorkspace(root: string, fallback: string | undefined): Workspace {
  const tree = createProtectedTree(root, maxFolders);
  const sessions = new Set<Session>();
  // The target of each link, keyed by path. Undefined for paths that are not links.
  let known = new Map<string, string | undefined>();
  let firstWalk = 0;
  let mark: RunningMark | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <Value>(work: () => Promise<Value>): Promise<Value> => {
    const result = turn.then(work);
    turn = result.catch(() => undefined); // The error reaches the caller through `result`.
    return result;
  };

  const learn = (found: readonly FoundPath[]): void => {
    known = new Map(found.map((one) => [keyOf(one), linkOf(one)]));
    firstWalk = tree.walks;
  };

  const isNew = (one: FoundPath): boolean => !known.has(keyOf(one)) || known.get(keyOf(one)) !== linkOf(one);

  /** Moves new paths aside and returns whether there were any. */
  const reject = (found: readonly FoundPath[]): boolean => {
    const mayCreate = [...sessions].some(({ mayCreateRepositories }) => mayCreateRepositories);
    const fresh = found.filter(isNew);
    for (const one of fresh) if (mayCreate && one.isRepository) known.set(keyOf(one), linkOf(one));
    const unwanted = fresh.filter(isNew).map((one) => ({
      found: one.kind === 'bare' && one.since <= firstWalk ? headOf(one) : one,
      link: known.get(keyOf(one)),
    }));
    if (unwanted.length === 0) return false;
    const changes = moveAside(root, fallback, unwanted);
    for (const session of sessions) session.rejected.push(...changes);
    return true;
  };

  const sweep = async (): Promise<readonly FoundPath[]> => {
    let found = await tree.walk();
    // Scans again after each move, because processes may create more paths. Gives up after five scans.
    for (let time = 0; time < 5 && reject(found); time += 1) found = await tree.walk();
    const left = found.find((one) => isNew(one));
    if (left !== undefined) throw notMoved(childOf(left.at.path, left.name), 'it keeps reappearing.');
    return found;
  };

  const begin = async (): Promise<readonly FoundPath[]> => {
    holdSkilledFolder(root)?.[Symbol.dispose](); // Throws if `.skilled` is a link.
    const found = await tree.walk();
    if (tree.isCut) throw tooMany(root, 'folders', maxFolders);
    mark = markRunning(root, fallback, found);
    learn(found.filter((one) => mark?.isLeftBehind(one) !== true));
    return found;
  };

  return {
    isIdle: () => sessions.size === 0,
    enter: (session) =>
      inTurn(async () => {
        const found = sessions.size === 0 ? await begin() : undefined;
        sessions.add(session);
        const now = found?.some(isNew) === false ? found : await sweep();
        const paths = now.flatMap((one) =>
          isNew(one) ? [] : mountsOf(root, one, session.mayCreateRepositories),
        );
        for (const [path, stamp] of tree.stampPrograms()) session.programs.set(path, stamp);
        if (paths.length <= maxMounts) return { paths, sockets: tree.sockets };
        throw tooMany(root, 'protected paths', maxMounts);
      }),
    sweep: (session, isLast) =>
      inTurn(async () => {
        try {
          if (!sessions.has(session)) return;
          await sweep();
          if (!isLast) return;
          const before = session.programs;
          for (const [path, stamp] of tree.stampPrograms())
            if (before.get(path) !== stamp) session.changed.add(path);
        } finally {
          if (isLast) sessions.delete(session);
          if (sessions.size === 0) mark?.remove();
        }
      }),
  };
}

/**
 * Identifies a path by its folder's inode and its name, so that a renamed folder keeps its protected paths.
 */
function keyOf({ at, name }: FoundPath): string {
  return `${at.device}:${at.inode}/${name}`;
}

/** Returns a link's target as written, or undefined if the path is not a link. */
function linkOf({ at, name, isLink }: FoundPath): string | undefined {
  if (!isLink) return undefined;
  try {
    return readlinkSync(childOf(at.path, name));
  } catch {
    return ''; // The link has just been replaced, which counts as a change.
  }
}

/**
 * Returns the HEAD file of a bare repository. Without HEAD, the folder remains but is no longer a repository.
 */
function headOf(bare: FoundPath): FoundPath {
  const folder = bare.at.children.get(bare.name);
  return folder === undefined ? bare : { ...bare, at: folder, name: 'HEAD' };
}

/** Returns the paths to mount read-only for a protected path: the path itself or, for a link, its target. */
function mountsOf(
  root: string,
  { kind, at, name, isLink, isRepository }: FoundPath,
  mayCreate: boolean,
): readonly string[] {
  // For the workspace's own repository, processes see a private copy.
  const isOfRoot = at.path === root && (name === '.git' || (kind === 'bare' && name === 'HEAD'));
  if (kind === 'unchecked' || isOfRoot || (mayCreate && isRepository && name !== '.git')) return [];
  const path = childOf(at.path, name);
  if (!isLink) return [path];
  try {
    const real = realpathSync.native(path);
    return real !== root && isWithin(real, root) ? [real] : [];
  } catch {
    return []; // The link's target does not exist.
  }
}

function tooMany(root: string, what: string, most: number): AgentError {
  const message = `"${root}" has more than ${most.toLocaleString('en')} ${what}, which is more than a sandbox can protect.`;
  return new AgentError('sandbox.unavailable', message, { hint: 'Use a smaller folder as the workspace.' });
}

const maxNamed = 50;

function shorten(all: readonly RejectedChange[]): readonly RejectedChange[] {
  const [next] = all.slice(maxNamed);
  if (next === undefined) return all;
  const more = { ...next, reason: `This path and ${all.length - maxNamed - 1} more are protected.` };
  return [...all.slice(0, maxNamed), more];
}
