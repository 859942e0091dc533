import { readlinkSync, realpathSync } from 'node:fs';
import { AgentError, type Grant, type RejectedChange } from '../../core/index.ts';
import { childOf, findRealPath, isWithin } from '../../files/index.ts';
import { findGitFolders } from '../git/folders.ts';
import type { SettledChanges } from '../process/process-group.ts';
import { holdSkilledFolder, moveAside, notMoved } from './reject.ts';
import { markRunning, type RunningMark } from './running-mark.ts';
import { findHostSockets } from './sockets.ts';
import { createProtectedTree, type FoundPath } from './tree.ts';

/** The protected paths in the folders that a process can write to. */
export interface ProtectedWatch {
  /** The real paths of the protected files and folders that exist. They must be mounted read-only. */
  readonly paths: readonly string[];
  /** The real paths of sockets that programs outside the sandbox listen on. */
  readonly sockets: readonly string[];
  /**
   * Moves aside all protected paths that were created since the process started. Can be called at any time
   * while the process runs. Must be called once with `isLast` after the process has ended.
   */
  settle(isLast: boolean): Promise<SettledChanges>;
}

/**
 * Scans the folders of a grant before a process starts. `fallback` is a user folder for the marks of
 * running processes, and for the rejected changes of workspaces without a `.skilled` folder. Throws
 * `sandbox.unavailable` if there are too many paths to protect.
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
    const incomplete = entered.flatMap((one) => one.incomplete);
    const git = roots.flatMap((root) => {
      const { gitDir = childOf(root, '.git'), commonDir = gitDir } = findGitFolders(root)?.folders ?? {};
      return [gitDir, commonDir];
    });
    const folders = [...grant.read, ...paths, ...git];
    const sockets = await findHostSockets({ found, folders, incomplete });
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
  /** The changes rejected while the process ran, regardless of which process made them. */
  readonly rejected: RejectedChange[];
  /** The stamps that files had when the process started, keyed by path. Users may run these files later. */
  readonly programs: Map<string, string>;
  /** The stamped files that changed while the process ran, regardless of which process changed them. */
  readonly changed: Set<string>;
  readonly mayCreateRepositories: boolean;
}

interface Workspace {
  enter(session: Session): Promise<EnteredWorkspace>;
  sweep(session: Session, isLast: boolean): Promise<void>;
  isIdle(): boolean;
}

/** A workspace's state when a process starts. */
interface EnteredWorkspace {
  /** The existing protected paths to mount read-only. */
  readonly paths: readonly string[];
  /** The sockets in all folders except protected ones. */
  readonly sockets: readonly string[];
  /** The workspace's folder, if some folders below it could not be searched. Otherwise empty. */
  readonly incomplete: readonly string[];
}

const workspaces = new Map<string, Workspace>();
const maxIdle = 8;

/** Returns the workspace for a folder. All commands share it, so that they list its folders only once. */
function workspaceAt(root: string, fallback: string | undefined): Workspace {
  const known = workspaces.get(root);
  const workspace = known ?? createWorkspace(root, fallback);
  // Move the workspace to the end, so that the least recently used workspace comes first.
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
  // The known protected paths by key, each with its target if it is a link.
  let known = new Map<string, string | undefined>();
  let firstWalk = 0;
  let mark: RunningMark | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <Value>(work: () => Promise<Value>): Promise<Value> => {
    const result = turn.then(work);
    turn = result.catch(() => undefined); // The caller gets the error from `result`.
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
    // Processes can create more paths in the meantime, so each move needs another scan. Gives up after five.
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
        const incomplete = now.some(({ kind }) => kind === 'unchecked') ? [root] : [];
        if (paths.length <= maxMounts) return { paths, sockets: tree.sockets, incomplete };
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
 * Returns a key for a path: the inode of its folder, and its name. If a process renames the folder, the key
 * stays the same.
 */
function keyOf({ at, name }: FoundPath): string {
  return `${at.device}:${at.inode}/${name}`;
}

/** Returns the target of a link as written, or undefined if the path is not a link. */
function linkOf({ at, name, isLink }: FoundPath): string | undefined {
  if (!isLink) return undefined;
  try {
    return readlinkSync(childOf(at.path, name));
  } catch {
    return ''; // A process has just replaced the link. An empty string is treated as a change.
  }
}

/**
 * Returns the HEAD file of a bare repository. If only this file is moved aside, the folder remains but is
 * no longer a repository.
 */
function headOf(bare: FoundPath): FoundPath {
  const folder = bare.at.children.get(bare.name);
  return folder === undefined ? bare : { ...bare, at: folder, name: 'HEAD' };
}

/** Returns the paths to mount read-only for a protected path. For a link, returns the target of the link. */
function mountsOf(
  root: string,
  { kind, at, name, isLink, isRepository }: FoundPath,
  mayCreate: boolean,
): readonly string[] {
  // Processes see a private copy of the workspace's own repository.
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
