import { lstatSync } from 'node:fs';
import { sep } from 'node:path';
import { AgentError } from '../core/error.ts';
import { workspaceOnly } from './area.ts';
import { globPattern, type Reached } from './glob-pattern.ts';
import { below } from './paths.ts';
import { resolveInside } from './resolve-inside.ts';
import { walkFiles } from './walk-files.ts';

/** Files that were found, newest first, relative to the workspace. */
export type Found = {
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
  const walk = walkFiles<Reached>({
    ...{ root, start, state: glob.start, links: true },
    enter: (state, name) => {
      const reached = glob.enter(state, name);
      return reached.size === 0 ? undefined : reached;
    },
    isWanted: glob.fits,
    onUnreadable: () => (unreadable += 1),
  });
  const found: { readonly path: string; readonly changed: number }[] = [];
  let isStopped = false;
  let pause = performance.now() + slice;
  for (const path of walk) {
    if (performance.now() > pause) {
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
      pause = performance.now() + slice;
    }
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
