import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { childOf } from '../../files/index.ts';
import type { FoundPath } from './tree.ts';

/** A file that says that processes write in a workspace; it outlives this process when that is killed. */
export interface RunningMark {
  /** Whether something appeared while processes ran whose end nobody saw. */
  isLeftBehind(found: FoundPath): boolean;
  remove(): void;
}

/** Marks a workspace, in a folder of the user's that no process of a skill reaches; undefined without one. */
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
    return undefined; // a home that cannot be written: only what a killed process left would be found by it
  }
}

interface Mark {
  readonly file: string;
  readonly known: ReadonlySet<string>;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** The marks of processes that are gone. */
function staleMarks(folder: string): readonly Mark[] {
  return namesIn(folder).flatMap((name) => {
    const [, id = '', started = ''] = /^(\d+)-(\d*)\.json$/.exec(name) ?? [];
    if (id === '' || startOf(Number(id)) === started) return [];
    const file = join(folder, name);
    try {
      const known = JSON.parse(readFileSync(file, 'utf8')) as readonly string[];
      return [{ file, known: new Set(known), since: statSync(file).mtimeMs }];
    } catch {
      return []; // another process was faster
    }
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // nothing was ever marked
  }
}

function pathIn(root: string, { at, name }: FoundPath): string {
  return relative(root, childOf(at.path, name));
}

function isNewer({ at, name }: FoundPath, since: number): boolean {
  const changedAt = lstatSync(childOf(at.path, name), { throwIfNoEntry: false })?.ctimeMs ?? 0;
  return changedAt >= since;
}

/** When a process started, in ticks of the system; undefined when there is none. Ids are used again, pairs of both are not. */
function startOf(id: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
