import { hash, randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAgentError, type Issue } from '../core/index.ts';
import { digestFolder, tryFileLock } from '../files/index.ts';
import { readLock, type LockedSkill } from './lock-file.ts';
import type { InstallTarget } from './target.ts';
import { finishChanges, hasOpenChanges } from './transaction.ts';

const checkedFor = 1_000; // How long a result is used again, in milliseconds.

/**
 * Creates a check for installed skills whose files differ from the lock. A folder whose sizes, times and file
 * numbers are the same as when it was last verified is not read again; these facts are kept in `cache`. Never
 * throws.
 */
export function createDriftCheck(
  targets: readonly InstallTarget[],
  cache: string | undefined,
): () => readonly Issue[] {
  let last: { readonly at: number; readonly issues: readonly Issue[] } | undefined;
  return () => {
    if (last !== undefined && Date.now() - last.at < checkedFor) return last.issues;
    const issues = targets.flatMap((target) => driftIn(target, cache));
    last = { at: Date.now(), issues };
    return issues;
  };
}

function driftIn(target: InstallTarget, cache: string | undefined): readonly Issue[] {
  try {
    return [...readLock(target.lockFile)].flatMap(([name, entry]) => driftOf(target, name, entry, cache));
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    const { message, hint = '' } = thrown;
    return [{ level: 'warning', code: 'install.bad-lock', message, hint, file: target.lockFile }];
  }
}

function driftOf(
  { skills }: InstallTarget,
  name: string,
  { digest }: LockedSkill,
  cache: string | undefined,
): readonly Issue[] {
  const dir = join(skills, name);
  if (lstatSync(dir, { throwIfNoEntry: false }) === undefined)
    return [
      {
        level: 'warning',
        code: 'skill.not-installed',
        message: `"${name}" is in the lock, but it is not installed.`,
        file: dir,
        hint: 'To install everything in the lock: `skilled install`',
        details: { skill: name },
      },
    ];
  if (isAsVerified(dir, digest, cache)) return [];
  return [
    {
      level: 'warning',
      code: 'skill.drifted',
      message: `The files of "${name}" differ from the lock.`,
      file: dir,
      hint: `\`skilled verify ${name}\` shows which ones. To restore them: \`skilled install --force\``,
      details: { skill: name, locked: digest },
    },
  ];
}

function isAsVerified(dir: string, digest: string, cache: string | undefined): boolean {
  const file = cache === undefined ? undefined : join(cache, 'verified', hash('sha256', dir).slice(0, 32));
  try {
    const stamp = stampOf(dir);
    const known = `${digest} ${stamp.text}`;
    if (file !== undefined && readText(file) === known) return true;
    if (digestFolder(dir) !== digest) return false;
    if (file !== undefined && !stamp.isFresh) writeText(file, known);
    return true;
  } catch {
    return false; // A folder that cannot be read is not what was installed.
  }
}

const freshFor = 2_000; // Some file systems round times to seconds. A later change must get another time.

/** Returns a hash of the paths, sizes, times and file numbers of everything in a folder. */
function stampOf(dir: string): { readonly text: string; readonly isFresh: boolean } {
  let newest = 0;
  const lines = readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((path) => {
      const { size, mtimeMs, ctimeMs, ino, mode } = lstatSync(join(dir, path));
      newest = Math.max(newest, mtimeMs, ctimeMs);
      return JSON.stringify([path, size, mtimeMs, ctimeMs, ino, mode]);
    });
  return { text: hash('sha256', lines.join('\n')), isFresh: Date.now() - newest < freshFor };
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // The folder was never verified.
  }
}

function writeText(file: string, text: string): void {
  const beside = `${file}.${randomUUID()}.tmp`;
  try {
    mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
    writeFileSync(beside, text, { flag: 'wx', mode: 0o600 });
    renameSync(beside, file);
  } catch {
    rmSync(beside, { force: true }); // Without the file, the folder is read again next time.
  }
}

const patience = 2_000; // The maximum time to wait for another process, in milliseconds.
const retryMs = 10;

/**
 * Completes the change that a killed process left unfinished, so that skills are complete when they are read.
 * Waits for a process that is making a change now. Never throws: a change that cannot be completed is left to
 * the next command.
 */
export function settleInstalled(target: InstallTarget): void {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; waited < patience && hasOpenChanges(target); waited += retryMs) {
    try {
      const folders = [join(target.base, '.agents'), target.skills, target.state];
      if (!folders.every((folder) => lstatSync(folder).isDirectory())) return;
      using lock = tryFileLock(join(target.state, 'lock'));
      if (lock !== undefined) {
        finishChanges(target);
        return;
      }
    } catch {
      return; // The project is read-only, or its lock is damaged. The next command reports it.
    }
    Atomics.wait(clock, 0, 0, retryMs);
  }
}
