import { lstatSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { byCodeUnits } from '../core/index.ts';
import { digestBytes, type BundleFile } from '../files/index.ts';
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

/** A file of an installed skill, with its digest. */
export interface InstalledFile extends BundleFile {
  readonly digest: string;
}

/** Reads the files in a folder. A link or special file has no content, and a digest that never matches. */
export function filesIn(folder: string): readonly InstalledFile[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const path = file.slice(folder.length + 1).replaceAll('\\', '/');
      if (!entry.isFile()) return { path, bytes: new Uint8Array(), digest: 'not a regular file' };
      const bytes = readFileSync(file);
      return { path, bytes, digest: digestBytes(bytes) };
    });
}

/** Returns the digest of each file in a folder, by path. */
export function filesAt(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(filesIn(folder).map(({ path, digest }) => [path, digest]));
}

/** Returns the executable files in a folder. */
export function executablesAt(folder: string, paths: readonly string[]): readonly string[] {
  return paths.filter((path) => (lstatSync(join(folder, path)).mode & 0o111) !== 0).sort(byCodeUnits);
}
