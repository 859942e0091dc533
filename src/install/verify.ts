import { hash } from 'node:crypto';
import { lstatSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { byCodeUnits } from '../core/index.ts';
import type { LockedSkill, SkillLock } from './lock-file.ts';
import type { InstallTarget } from './target.ts';
import { digestAt } from './transaction.ts';

/** An installed skill compared with the lock. */
export interface VerifiedSkill {
  readonly name: string;
  readonly state: 'ok' | 'missing' | 'changed';
  /** The paths of files that differ from the lock. */
  readonly changed: readonly string[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Compares every file of every skill in the lock with its digest. Reads all files. */
export function verifySkills(target: InstallTarget, lock: SkillLock): readonly VerifiedSkill[] {
  return [...lock].map(([name, entry]) => verifySkill(join(target.skills, name), name, entry));
}

/** Compares one installed skill with its entry in the lock. */
export function verifySkill(folder: string, name: string, entry: LockedSkill): VerifiedSkill {
  const none = { name, changed: [], added: [], removed: [] };
  const now = digestAt(folder);
  if (now === undefined) return { ...none, state: 'missing' };
  if (now === entry.digest) return { ...none, state: 'ok' };
  return { name, state: 'changed', ...compareFiles(entry.files, filesAt(folder)) };
}

/** Compares two sets of files by their digests. */
export function compareFiles(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Pick<VerifiedSkill, 'changed' | 'added' | 'removed'> {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort(byCodeUnits);
  return {
    changed: paths.filter((path) => path in before && path in after && before[path] !== after[path]),
    added: paths.filter((path) => !(path in before)),
    removed: paths.filter((path) => !(path in after)),
  };
}

/** Returns the digest of each file in a folder, by path. A link or special file has a digest that never matches. */
export function filesAt(folder: string): Readonly<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isDirectory()) continue;
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(folder.length + 1).replaceAll('\\', '/');
    files[path] = entry.isFile() ? `sha256:${hash('sha256', readFileSync(file))}` : 'not a regular file';
  }
  return files;
}

/** Returns the executable files in a folder. */
export function executablesAt(folder: string, paths: readonly string[]): readonly string[] {
  return paths.filter((path) => (lstatSync(join(folder, path)).mode & 0o111) !== 0).sort(byCodeUnits);
}
