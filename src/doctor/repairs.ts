import { chmodSync, existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { OwnFolders } from '../config/paths.ts';
import { addLines, missingLines } from '../config/skilled-folder.ts';
import { generationFolder, reasonOf, stagingName } from '../core/index.ts';
import { isDamagedCache } from '../skills/cache/cache-file.ts';

/**
 * Finds problems that can be repaired in the package's own folders and next to the folders of skills. Only
 * reads files. Never throws.
 */
export function findRepairs(
  folders: OwnFolders,
  skills: readonly { readonly dir: string }[],
  now = Date.now(),
): readonly Repair[] {
  return [
    ...ignoreRepairs(folders),
    ...permissionRepairs(folders),
    ...leftoverRepairs(folders, now),
    ...cacheRepairs(folders),
    ...generationRepairs(skills, now),
  ];
}

/** Performs one repair. Returns a failure instead of throwing it, so that the next repair can still run. */
export function fix(repair: Repair): FixResult {
  const { id, what, done } = repair;
  try {
    repair.fix();
    return { id, what, status: 'fixed', result: done };
  } catch (thrown) {
    return { id, what, status: 'failed', result: reasonOf(thrown) };
  }
}

/** Finds cache files that are no longer usable. Removed cache files are created again at the next start. */
function cacheRepairs({ cache }: OwnFolders): readonly Repair[] {
  if (cache === undefined) return [];
  return namesIn(cache)
    .filter((name) => /^skills-[0-9a-f]{16}\.json$/.test(name))
    .map((name) => join(cache, name))
    .filter(isDamagedCache)
    .map((file) => ({
      id: 'cache',
      what: `${file} is damaged, so starts are slower`,
      done: `${file} removed; the next start creates it again`,
      fix: () => rmSync(file, { force: true }),
    }));
}

const day = 86_400_000;

/**
 * Finds copies of skills that are more than a day old and were left by a process that was killed while
 * generating code. Ignores copies whose swap has begun, because the next use of the skill completes the swap.
 */
function generationRepairs(skills: readonly { readonly dir: string }[], now: number): readonly Repair[] {
  const dirs = [...new Set(skills.map(({ dir }) => dir))].filter((dir) => dir !== '');
  return dirs.flatMap((dir) => {
    const around = join(dirname(dir), generationFolder);
    const folder = join(around, basename(dir));
    if (!isFolder(around) || !isFolder(folder) || existsSync(join(folder, 'swap.json'))) return [];
    return namesIn(folder)
      .filter((name) => stagingName.test(name))
      .map((name) => join(folder, name))
      .filter((copy) => isFolder(copy) && now - lstatSync(copy).mtimeMs > day)
      .map((copy) => ({
        id: 'generation',
        what: `${copy} was left by an interrupted code generation`,
        done: `${copy} removed`,
        fix: () => rmSync(copy, { recursive: true, force: true }),
      }));
  });
}

/** Whether a path is an actual folder. Symbolic links are excluded, because they can point to any folder. */
function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Finds runs and records in a project folder that git would include in a commit. */
function ignoreRepairs({ project }: OwnFolders): readonly Repair[] {
  if (project?.isInRepository !== true) return [];
  const { folder } = project;
  const lines = linesFor(folder);
  if (lines.length === 0) return [];
  const file = join(folder, '.gitignore');
  return [
    {
      id: 'ignore',
      what: `${file} does not exclude ${lines.join(', ')} from the repository`,
      done: `${lines.join(', ')} added to ${file}`,
      fix: () => addLines(folder, lines),
    },
  ];
}

function linesFor(folder: string): readonly string[] {
  try {
    return missingLines(folder);
  } catch {
    return []; // A `.gitignore` file that cannot be read cannot be repaired.
  }
}

const hour = 3_600_000;

// Matches the names of temporary files, which are renamed once they have been written completely.
const halfWritten = /^\.?[\w.-]+\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:\.tmp)?$/;

/** Finds incomplete files that are more than an hour old and were left by a killed process. */
function leftoverRepairs({ project, user, cache }: OwnFolders, now: number): readonly Repair[] {
  const folders = [project?.folder, user, cache].filter((folder) => folder !== undefined);
  return folders.flatMap((folder) =>
    namesIn(folder)
      .filter((name) => halfWritten.test(name))
      .map((name) => join(folder, name))
      .filter((file) => isOldFile(file, now))
      .map((file) => ({
        id: 'leftovers',
        what: `${file} is only half written`,
        done: `${file} removed`,
        fix: () => rmSync(file, { force: true }),
      })),
  );
}

function isOldFile(file: string, now: number): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true && now - stats.mtimeMs > hour;
}

/**
 * Returns the names of the entries in a folder, or an empty list if the folder cannot be read. Never throws.
 */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // The folder was removed or is not accessible.
  }
}

/**
 * Finds the user's settings folder and settings file if other users can write to them. Excludes the trust
 * file: after a repair of its permissions, entries that other users have written would be trusted, so the
 * user must check that file first.
 */
function permissionRepairs({ user }: OwnFolders): readonly Repair[] {
  // On systems without user IDs, file modes do not show who can write to a file.
  if (user === undefined || process.getuid === undefined) return [];
  return [user, join(user, 'settings.json')].flatMap((path): readonly Repair[] => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    const isOurs = stats !== undefined && !stats.isSymbolicLink() && stats.uid === process.getuid?.();
    if (!isOurs || (stats.mode & 0o022) === 0) return [];
    const mode = stats.mode & 0o755;
    return [
      {
        id: 'permissions',
        what: `${path} can be written by other users`,
        done: `only you can write to ${path}`,
        fix: () => chmodSync(path, mode),
      },
    ];
  });
}

/** A problem with the package's own files, and its repair. A repair never changes skills or trust. */
export interface Repair {
  readonly id: string;
  /** A description of the problem, for display. */
  readonly what: string;
  /** A description of the completed repair, for display. */
  readonly done: string;
  /** Performs the repair. Throws if it fails. */
  fix(): void;
}

/** The result of a repair. */
export interface FixResult {
  readonly id: string;
  readonly what: string;
  readonly status: 'fixed' | 'failed';
  /** A description of the repair, or the reason why it failed. */
  readonly result: string;
}
