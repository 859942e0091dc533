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
import { resolveSearch } from './open-file.ts';
import { below, childOf, isWithin, type Area } from './paths.ts';

/** The result of a search, newest first. Paths in the workspace are relative to it, others are absolute. */
type Found = {
  readonly files: readonly string[];
  /** The number of files before the limit was applied. */
  readonly total: number;
  /** Whether the search ended early. */
  readonly isStopped: boolean;
  /** The number of folders that could not be read. */
  readonly unreadable: number;
};

/** The maximum number of files to return, and of files to examine when looking for the newest. */
const findLimits = { files: 1000, looked: 20_000 };

const slice = 8; // The maximum time to work before yielding to other tasks, in milliseconds.

/** Finds the files in a folder whose path, relative to that folder, matches a pattern. */
export async function findFiles(
  search: {
    readonly area: Area;
    readonly pattern: string;
    readonly path?: string | undefined;
  },
  signal: AbortSignal,
): Promise<Found> {
  const { start, root, shown, pathOf } = resolveSearch(search.area, search.path ?? '.');
  if (!lstatSync(start).isDirectory()) {
    throw new AgentError('usage.bad-input', `"${shown}" is not a folder.`, {
      hint: 'Name the folder to search.',
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
    isIncluded: glob.fits,
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
  const files = found
    .slice(0, findLimits.files)
    .map(({ path }) => pathOf(below(root, path).replaceAll(sep, '/')));
  return { files, total: found.length, isStopped, unreadable };
}

function changedAt(path: string): number {
  try {
    return lstatSync(path).mtimeMs;
  } catch {
    return 0; // The file was removed during the search.
  }
}

/**
 * A search for files in a file scope. `State` records how much of the pattern a folder's path
 * matches.
 */
interface Walk<State> {
  /** The workspace's real path. */
  readonly root: string;
  /** The real path of the folder to start from. */
  readonly start: string;
  readonly state: State;
  /** Returns the state for a subfolder with the given name, or undefined to skip the subfolder. */
  enter(state: State, name: string): State | undefined;
  isIncluded(state: State, name: string): boolean;
  /** Whether to include links that lead to files in the workspace. */
  readonly links: boolean;
  /** Handles a folder that cannot be read. */
  onUnreadable(): void;
}

/**
 * Yields the real paths of the files that the search includes, in a fixed order. Skips ignored
 * files and `.git`, and does not follow links to folders. Also yields undefined for every examined
 * entry, so that the caller can pause or stop.
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
      } else if (walk.isIncluded(folder.state, entry.name) && !isIgnored(rules, path, false)) {
        if (entry.isFile() || (walk.links && entry.isSymbolicLink() && leadsToFile(walk.root, path)))
          yield path;
      }
    }
    for (const next of inner.reverse()) left.push(next);
  }
}

/**
 * Yields the files below a folder like `walkFiles`, without hidden files and folders and `node_modules`. Skips
 * folders that cannot be read.
 */
export function walkVisibleFiles(
  root: string,
  { links }: { readonly links: boolean },
): Generator<string | undefined> {
  const isVisible = (name: string): boolean => !name.startsWith('.') && name !== 'node_modules';
  return walkFiles<true>({
    root,
    start: root,
    state: true,
    links,
    enter: (_state, name) => (isVisible(name) ? true : undefined),
    isIncluded: (_state, name) => isVisible(name),
    onUnreadable: () => undefined,
  });
}

interface Listed {
  readonly entries: readonly Dirent[];
  readonly rules: IgnoreRules | undefined;
}

/**
 * Returns a folder's entries, sorted by name, and its ignore rules. Returns undefined if the folder cannot be
 * opened or is no longer in the workspace.
 */
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
    onUnreadable(); // An unreadable folder must not end the search.
    return undefined;
  }
}

/** Returns the ignore rules of the folders from the workspace down to the parent of the start folder. */
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

const maxRules = 1 << 20;

/** Returns the text of an ignore file. Like git, treats a link or an unreadable file as empty. */
function ignoreText(folder: OpenHandle, name: string): string {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let handle: number | undefined;
  try {
    handle = openSync(childBehind(folder, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stats = fstatSync(handle);
    return stats.isFile() && stats.size <= maxRules ? readFileSync(handle, 'utf8') : '';
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
    return false; // The link is broken.
  }
}
