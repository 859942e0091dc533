import { readlinkSync, realpathSync } from 'node:fs';
import { AgentError, type Grant, type RejectedChange } from '../../core/index.ts';
import { childOf, findRealPath, isWithin } from '../../files/index.ts';
import type { SettledChanges } from '../process/process-group.ts';
import { holdSkilledFolder, moveAside, notMoved } from './reject.ts';
import { markRunning, type RunningMark } from './running-mark.ts';
import { createProtectedTree, type FoundPath } from './tree.ts';

/** The protected paths of the folders that one process may write in. */
export interface ProtectedWatch {
  /** What is there and stays as it is: real paths, to be mounted read-only. */
  readonly paths: readonly string[];
  /** Moves aside what appeared since; called again while a process lasts, and once with `isLast` when it has ended. */
  settle(isLast: boolean): Promise<SettledChanges>;
}

/**
 * Looks at the folders that a grant lets a process write in, before it starts. `fallback` is the folder for rejected
 * changes of workspaces without `.skilled`, and for the marks of running processes.
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
    const paths = await Promise.all(watched.map((one) => one.enter(session)));
    return { paths: paths.flat(), settle };
  } catch (thrown) {
    await settle(true);
    throw thrown;
  }
}

/** A process that writes in a workspace at the moment. */
interface Session {
  /** What was moved aside while it ran, whichever process made it. */
  readonly rejected: RejectedChange[];
  /** Files that people run later, by path, as they were when it began. */
  readonly programs: Map<string, string>;
  /** Those of them that changed while it ran, whichever process changed them. */
  readonly changed: Set<string>;
  readonly mayCreateRepositories: boolean;
}

interface Workspace {
  enter(session: Session): Promise<readonly string[]>;
  sweep(session: Session, isLast: boolean): Promise<void>;
  isIdle(): boolean;
}

const workspaces = new Map<string, Workspace>();
const mostIdle = 8;

/** One for each folder, so that commands at the same time know of each other and folders are listed once. */
function workspaceAt(root: string, fallback: string | undefined): Workspace {
  const known = workspaces.get(root);
  const workspace = known ?? createWorkspace(root, fallback);
  workspaces.delete(root); // and added again: the oldest are first
  const idle = [...workspaces].filter(([, one]) => one.isIdle());
  for (const [path] of idle.slice(0, Math.max(idle.length - mostIdle, 0))) workspaces.delete(path);
  workspaces.set(root, workspace);
  return workspace;
}

const mostFolders = 100_000;
const mostMounts = 500; // each takes bubblewrap longer than the one before

function createWorkspace(root: string, fallback: string | undefined): Workspace {
  const tree = createProtectedTree(root, mostFolders);
  const sessions = new Set<Session>();
  let known = new Map<string, string | undefined>(); // where links lead; undefined for all else
  let firstWalk = 0;
  let mark: RunningMark | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <Value>(work: () => Promise<Value>): Promise<Value> => {
    const result = turn.then(work);
    turn = result.catch(() => undefined); // its caller gets the error
    return result;
  };

  const learn = (found: readonly FoundPath[]): void => {
    known = new Map(found.map((one) => [keyOf(one), linkOf(one)]));
    firstWalk = tree.walks;
  };

  const isNew = (one: FoundPath): boolean => !known.has(keyOf(one)) || known.get(keyOf(one)) !== linkOf(one);

  /** Moves aside what is new; whether there was anything. */
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
    // What another process made meanwhile is found by the next walk; one that never stops is not waited for.
    for (let time = 0; time < 5 && reject(found); time += 1) found = await tree.walk();
    const left = found.find((one) => isNew(one));
    if (left !== undefined) throw notMoved(childOf(left.at.path, left.name), 'it appears again and again.');
    return found;
  };

  const begin = async (): Promise<readonly FoundPath[]> => {
    holdSkilledFolder(root)?.[Symbol.dispose](); // throws for a link
    const found = await tree.walk();
    if (tree.isCut) throw tooMany(root, 'folders', mostFolders);
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
        if (paths.length <= mostMounts) return paths;
        throw tooMany(root, 'protected paths', mostMounts);
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

/** A name in a folder, whatever path leads to that: a folder that is renamed takes what is protected in it along. */
function keyOf({ at, name }: FoundPath): string {
  return `${at.device}:${at.inode}/${name}`;
}

/** Where a link leads, as it is written; undefined for anything else. */
function linkOf({ at, name, isLink }: FoundPath): string | undefined {
  if (!isLink) return undefined;
  try {
    return readlinkSync(childOf(at.path, name));
  } catch {
    return ''; // it was just replaced, so it is not what it was
  }
}

/** A folder of the user's that became a repository stays; without its HEAD it is none. */
function headOf(bare: FoundPath): FoundPath {
  const folder = bare.at.children.get(bare.name);
  return folder === undefined ? bare : { ...bare, at: folder, name: 'HEAD' };
}

/** What is mounted read-only for something that is protected: it, or for a link what that leads to in the workspace. */
function mountsOf(
  root: string,
  { kind, at, name, isLink, isRepository }: FoundPath,
  mayCreate: boolean,
): readonly string[] {
  const isOfRoot = at.path === root && (name === '.git' || (kind === 'bare' && name === 'HEAD')); // has a copy of its own
  if (kind === 'unchecked' || isOfRoot || (mayCreate && isRepository && name !== '.git')) return [];
  const path = childOf(at.path, name);
  if (!isLink) return [path];
  try {
    const real = realpathSync.native(path);
    return real !== root && isWithin(real, root) ? [real] : [];
  } catch {
    return []; // it leads nowhere
  }
}

function tooMany(root: string, what: string, most: number): AgentError {
  const message = `"${root}" has more than ${most.toLocaleString('en')} ${what}, which a sandbox cannot protect.`;
  return new AgentError('sandbox.unavailable', message, { hint: 'Use a smaller folder as the workspace.' });
}

const mostNamed = 50;

function shorten(all: readonly RejectedChange[]): readonly RejectedChange[] {
  const [next] = all.slice(mostNamed);
  if (next === undefined) return all;
  const more = { ...next, reason: `It and ${all.length - mostNamed - 1} more are protected.` };
  return [...all.slice(0, mostNamed), more];
}
