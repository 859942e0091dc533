import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
  statSync,
  type Dirent,
} from 'node:fs';
import { sep } from 'node:path';
import { createYielder } from '../core/async.ts';
import { AgentError } from '../core/error.ts';
import { childBehind, holdFolder, type OpenHandle } from './file-handle.ts';
import { globPattern, type ReachedStates } from './glob-pattern.ts';
import { ignoreFiles, isIgnored, rulesIn, type IgnoreRules } from './ignore-rules.ts';
import { resolveInside } from './open-file.ts';
import { below, childOf, isWithin, workspaceOnly } from './paths.ts';

/** Files that were found, newest first, relative to the workspace. */
type Found = {
  readonly files: readonly string[];
  /** How many there were before those that are too many were left out. */
  readonly total: number;
  /** The search ended before it had seen everything. */
  readonly isStopped: boolean;
  /** Folders that could not be looked into. */
  readonly unreadable: number;
};

/** Most files that a search gives, and most that it looks at to tell which are the newest. */
const findLimits = { files: 1000, looked: 20_000 };

const slice = 8; // milliseconds of work before others get their turn

/** The files of a workspace whose path, from a folder of it on, fits a pattern. */
export async function findFiles(
  search: {
    readonly workspace: string | undefined;
    readonly pattern: string;
    readonly path?: string | undefined;
  },
  signal: AbortSignal,
): Promise<Found> {
  const { real: start, roots, shown } = resolveInside(workspaceOnly(search.workspace), search.path ?? '.');
  const [root = start] = roots;
  if (!lstatSync(start).isDirectory()) {
    throw new AgentError('usage.bad-input', `"${shown}" is no folder.`, {
      hint: 'Give the folder to look in.',
    });
  }
  signal.throwIfAborted();
  const glob = globPattern(search.pattern);
  let unreadable = 0;
  const walk = walkFiles<ReachedStates>({
    root,
    start,
    state: glob.start,
    links: true,
    enter: (state, name) => {
      const reached = glob.enter(state, name);
      return reached.size === 0 ? undefined : reached;
    },
    isWanted: glob.fits,
    onUnreadable: () => (unreadable += 1),
  });
  const found: { readonly path: string; readonly changed: number }[] = [];
  let isStopped = false;
  const letOthersWork = createYielder(slice);
  for (const path of walk) {
    await letOthersWork();
    signal.throwIfAborted();
    if (path === undefined) continue;
    isStopped = found.length === findLimits.looked;
    if (isStopped) break;
    found.push({ path, changed: changedAt(path) });
  }
  found.sort((one, other) => other.changed - one.changed || (one.path < other.path ? -1 : 1));
  const files = found.slice(0, findLimits.files).map(({ path }) => below(root, path).replaceAll(sep, '/'));
  return { files, total: found.length, isStopped, unreadable };
}

function changedAt(path: string): number {
  try {
    return lstatSync(path).mtimeMs;
  } catch {
    return 0; // it went away meanwhile
  }
}

/** Which files of a workspace are wanted; the state says where in a pattern a folder is. */
interface Walk<State> {
  /** The workspace, real path. */
  readonly root: string;
  /** A folder in it, real path. */
  readonly start: string;
  readonly state: State;
  /** The state in a folder of this name; undefined when nothing in it is wanted. */
  enter(state: State, name: string): State | undefined;
  isWanted(state: State, name: string): boolean;
  /** Whether links to files of the workspace are given too. */
  readonly links: boolean;
  /** Hears of a folder that cannot be looked into. */
  onUnreadable(): void;
}

/**
 * The real paths of the wanted files, in order, without what ignore files hide and what is in `.git`; links to folders
 * are not followed. An undefined comes with everything that is looked at, for those who want to pause or stop.
 */
export function* walkFiles<State>(walk: Walk<State>): Generator<string | undefined> {
  const left = [{ path: walk.start, state: walk.state, rules: rulesAbove(walk) }];
  for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
    yield undefined;
    const listed = list(walk, folder.path, folder.rules);
    if (listed === undefined) continue;
    const { entries, rules } = listed;
    const inner: typeof left = [];
    for (const entry of entries) {
      yield undefined;
      const path = childOf(folder.path, entry.name);
      if (entry.isDirectory()) {
        const state = entry.name === '.git' ? undefined : walk.enter(folder.state, entry.name);
        if (state !== undefined && !isIgnored(rules, path, true)) inner.push({ path, state, rules });
      } else if (walk.isWanted(folder.state, entry.name) && !isIgnored(rules, path, false)) {
        if (entry.isFile() || (walk.links && entry.isSymbolicLink() && leadsToFile(walk.root, path)))
          yield path;
      }
    }
    for (const next of inner.reverse()) left.push(next);
  }
}

interface Listed {
  readonly entries: readonly Dirent[];
  readonly rules: IgnoreRules | undefined;
}

/** What is in a folder, by name, and the rules for it; undefined when it cannot be opened or is no longer in the workspace. */
function list(
  { root, onUnreadable }: Pick<Walk<unknown>, 'root' | 'onUnreadable'>,
  path: string,
  above: IgnoreRules | undefined,
): Listed | undefined {
  try {
    using folder = holdFolder([root], path, path);
    const entries = readdirSync(childBehind(folder, '.'), { withFileTypes: true });
    entries.sort((one, other) => (one.name < other.name ? -1 : 1));
    return { entries, rules: rulesFrom(folder, path, entries, above) };
  } catch {
    onUnreadable(); // one folder that cannot be read hides no other
    return undefined;
  }
}

/** The rules of the folders from the workspace down to the parent of the first one. */
function rulesAbove({ root, start }: Pick<Walk<unknown>, 'root' | 'start'>): IgnoreRules | undefined {
  let rules: IgnoreRules | undefined;
  let path = root;
  for (const name of start === root ? [] : below(root, start).split(sep)) {
    rules = list({ root, onUnreadable: () => undefined }, path, rules)?.rules;
    path = childOf(path, name);
  }
  return rules;
}

function rulesFrom(
  folder: OpenHandle,
  path: string,
  entries: readonly Dirent[],
  above: IgnoreRules | undefined,
): IgnoreRules | undefined {
  const names = ignoreFiles.filter((name) => entries.some((entry) => entry.name === name && entry.isFile()));
  return names.length === 0
    ? above
    : rulesIn(
        path,
        names.map((name) => ignoreText(folder, name)),
        above,
      );
}

const mostRules = 1 << 20;

/** The text of an ignore file; as with git, one that is a link or cannot be read says nothing. */
function ignoreText(folder: OpenHandle, name: string): string {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let handle: number | undefined;
  try {
    handle = openSync(childBehind(folder, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stats = fstatSync(handle);
    return stats.isFile() && stats.size <= mostRules ? readFileSync(handle, 'utf8') : '';
  } catch {
    return '';
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

function leadsToFile(root: string, link: string): boolean {
  try {
    const real = realpathSync.native(link);
    return isWithin(real, root) && statSync(real).isFile();
  } catch {
    return false; // it leads nowhere
  }
}
