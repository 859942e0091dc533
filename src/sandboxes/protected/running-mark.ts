import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { childOf } from '../../files/index.ts';
import type { FoundPath } from './tree.ts';

/** A file that exists while processes can write to a workspace. It remains if this process is killed. */
export interface RunningMark {
  /**
   * Returns whether a path may have been created by processes whose host was killed before it checked their
   * changes.
   */
  isLeftBehind(found: FoundPath): boolean;
  remove(): void;
}

/**
 * Creates the mark of a workspace. `folder` is a user folder that skill processes cannot reach. Returns
 * undefined if `folder` is undefined or not writable.
 */
export function markRunning(
  root: string,
  folder: string | undefined,
  found: readonly FoundPath[],
): RunningMark | undefined {
  if (folder === undefined) return undefined;
  const marks = join(folder, 'running', createHash('sha256').update(root).digest('hex').slice(0, 32));
  const own = join(marks, `${process.pid}-${startOf(process.pid) ?? ''}.json`);
  try {
    const stale = staleMarks(marks);
    mkdirSync(marks, { recursive: true, mode: 0o700 });
    writeFileSync(own, JSON.stringify(found.map((one) => pathIn(root, one))), { mode: 0o600 });
    return {
      isLeftBehind: (one) =>
        stale.some((mark) => !mark.known.has(pathIn(root, one)) && isNewer(one, mark.since)),
      remove() {
        rmSync(own, { force: true });
        for (const { file } of stale) rmSync(file, { force: true });
      },
    };
  } catch {
    return undefined; // Without the mark, files that killed processes left are not detected.
  }
}

interface Mark {
  readonly file: string;
  readonly known: ReadonlySet<string>;
  /** The time when the mark was last written, in milliseconds since the Unix epoch. */
  readonly since: number;
}

/** Returns the marks of processes that have ended. */
function staleMarks(folder: string): readonly Mark[] {
  return namesIn(folder).flatMap((name) => {
    const [, id = '', started = ''] = /^(\d+)-(\d*)\.json$/.exec(name) ?? [];
    if (id === '' || startOf(Number(id)) === started) return [];
    const file = join(folder, name);
    try {
      const known = JSON.parse(readFileSync(file, 'utf8')) as readonly string[];
      return [{ file, known: new Set(known), since: statSync(file).mtimeMs }];
    } catch {
      return []; // Another process removed the mark first.
    }
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // There are no marks yet.
  }
}

function pathIn(root: string, { at, name }: FoundPath): string {
  return relative(root, childOf(at.path, name));
}

function isNewer({ at, name }: FoundPath, since: number): boolean {
  const changedAt = lstatSync(childOf(at.path, name), { throwIfNoEntry: false })?.ctimeMs ?? 0;
  return changedAt >= since;
}

/**
 * Returns a process's start time in system ticks, or undefined if the process does not exist. Process ids are
 * reused, but an id together with a start time is unique.
 */
function startOf(id: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
