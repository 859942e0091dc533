import { chmodSync, existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { OwnFolders } from '../config/paths.ts';
import { addLines, missingLines } from '../config/skilled-folder.ts';
import { generationFolder, reasonOf, stagingName } from '../core/index.ts';
import { isDamagedCache } from '../skills/cache/cache-file.ts';

/** What can be put right in our own folders, and beside the folders of these skills. Looks only, and never throws. */
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

/** Does what can be done, one after the other; a repair that fails keeps no other from being done. */
export function mend(repair: Repair): Mended {
  const { id, what, done } = repair;
  try {
    repair.mend();
    return { id, what, status: 'fixed', result: done };
  } catch (thrown) {
    return { id, what, status: 'failed', result: reasonOf(thrown) };
  }
}

/** Kept knowledge that can never be read again; the next start makes it anew. */
function cacheRepairs({ cache }: OwnFolders): readonly Repair[] {
  if (cache === undefined) return [];
  return namesIn(cache)
    .filter((name) => /^skills-[0-9a-f]{16}\.json$/.test(name))
    .map((name) => join(cache, name))
    .filter(isDamagedCache)
    .map((file) => ({
      id: 'cache',
      what: `${file} is damaged, so starts are slower`,
      done: `${file} removed; the next start makes it anew`,
      mend: () => rmSync(file, { force: true }),
    }));
}

const day = 86_400_000;

/**
 * Copies of skills in which a process that was killed made code, more than a day ago. One whose code was just taking
 * the place of the old is left alone: the next use of the skill finishes that.
 */
function generationRepairs(skills: readonly { readonly dir: string }[], now: number): readonly Repair[] {
  const dirs = [...new Set(skills.map(({ dir }) => dir))].filter((dir) => dir !== '');
  return dirs.flatMap((dir) => {
    const around = join(dirname(dir), generationFolder);
    const place = join(around, basename(dir));
    if (!isFolder(around) || !isFolder(place) || existsSync(join(place, 'swap.json'))) return [];
    return namesIn(place)
      .filter((name) => stagingName.test(name))
      .map((name) => join(place, name))
      .filter((copy) => isFolder(copy) && now - lstatSync(copy).mtimeMs > day)
      .map((copy) => ({
        id: 'generation',
        what: `${copy} was left by a generation that was killed`,
        done: `${copy} removed`,
        mend: () => rmSync(copy, { recursive: true, force: true }),
      }));
  });
}

/** A link could lead anywhere. */
function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Runs and records of a project in a repository that git would take. */
function ignoreRepairs({ project }: OwnFolders): readonly Repair[] {
  if (project?.isInRepository !== true) return [];
  const { folder } = project;
  const lines = linesFor(folder);
  if (lines.length === 0) return [];
  const file = join(folder, '.gitignore');
  return [
    {
      id: 'ignore',
      what: `${file} does not keep ${lines.join(', ')} out of the repository`,
      done: `${lines.join(', ')} added to ${file}`,
      mend: () => addLines(folder, lines),
    },
  ];
}

function linesFor(folder: string): readonly string[] {
  try {
    return missingLines(folder);
  } catch {
    return []; // what cannot be read cannot be added to either
  }
}

const hour = 3_600_000;

// Files are written beside their place under such names, and then moved.
const halfWritten = /^\.?[\w.-]+\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:\.tmp)?$/;

/** Half-written files that a killed process left more than an hour ago. */
function leftoverRepairs({ project, user, cache }: OwnFolders, now: number): readonly Repair[] {
  const folders = [project?.folder, user, cache].filter((folder) => folder !== undefined);
  return folders.flatMap((folder) =>
    namesIn(folder)
      .filter((name) => halfWritten.test(name))
      .map((name) => join(folder, name))
      .filter((file) => isOldFile(file, now))
      .map((file) => ({
        id: 'leftovers',
        what: `${file} was left half written`,
        done: `${file} removed`,
        mend: () => rmSync(file, { force: true }),
      })),
  );
}

function isOldFile(file: string, now: number): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true && now - stats.mtimeMs > hour;
}

/** The names in a folder. Never throws: what cannot be looked at is left alone. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // gone, or not for us
  }
}

/**
 * The folder of the user's own settings and the settings in it, where others may write to them. The trust file is not
 * among them: once it is closed, what others wrote into it would be believed, so a person looks at it first.
 */
function permissionRepairs({ user }: OwnFolders): readonly Repair[] {
  if (user === undefined || process.getuid === undefined) return []; // modes say nothing about others there
  return [user, join(user, 'settings.json')].flatMap((path): readonly Repair[] => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    const isOurs = stats !== undefined && !stats.isSymbolicLink() && stats.uid === process.getuid?.();
    if (!isOurs || (stats.mode & 0o022) === 0) return [];
    const mode = stats.mode & 0o755;
    return [
      {
        id: 'permissions',
        what: `${path} can be written by other users`,
        done: `${path} can be written by you only`,
        mend: () => chmodSync(path, mode),
      },
    ];
  });
}

/** Something wrong with files that are only ours, and how it is put right; it never touches skills or trust. */
export interface Repair {
  readonly id: string;
  /** What is wrong, in words. */
  readonly what: string;
  /** What was done, in words. */
  readonly done: string;
  /** Throws where that cannot be done. */
  mend(): void;
}

/** What came of a repair. */
export interface Mended {
  readonly id: string;
  readonly what: string;
  readonly status: 'fixed' | 'failed';
  /** What was done, or why it could not be done. */
  readonly result: string;
}
