import { existsSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { optional } from '../core/index.ts';

/** The existing folders that skilled writes to by default. */
export interface OwnFolders {
  /** The project's `.skilled` folder, and whether it is in a repository. */
  readonly project?: { readonly folder: string; readonly isInRepository: boolean };
  readonly user?: string;
  readonly cache?: string;
}

/**
 * Finds skilled's folders for a command that runs in `cwd`. If `isSafe` is true, omits the project's folder.
 */
export function ownFolders(
  cwd: string,
  {
    isSafe = false,
    environment = process.env,
  }: {
    readonly isSafe?: boolean;
    readonly environment?: Readonly<Record<string, string | undefined>>;
  } = {},
): OwnFolders {
  const home = homeFolder(environment);
  const user = existing(userFolder(environment, home));
  const above = (name: string): string =>
    join(
      projectFolder(cwd, home, (dir) => existsSync(join(dir, name))),
      name,
    );
  const folder = isSafe ? undefined : existing(above('.skilled'));
  const isProject = folder !== undefined && folder !== user;
  return {
    ...(isProject ? { project: { folder, isInRepository: existsSync(above('.git')) } } : {}),
    ...optional('user', user),
    ...optional('cache', existing(cacheFolder(environment, home))),
  };
}

function existing(folder: string | undefined): string | undefined {
  return folder !== undefined && existsSync(folder) ? folder : undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the user's home folder from `HOME`, or else from the operating system. Undefined if there is none.
 */
export function homeFolder(environment: Environment = process.env): string | undefined {
  const given = absolute(environment['HOME']);
  if (given !== undefined) return resolve(given);
  try {
    return absolute(userInfo().homedir);
  } catch {
    return undefined; // The operating system has no account for this user, as is common in containers.
  }
}

/**
 * Returns the folder for the user's own settings: `SKILLED_HOME`, else the XDG folder if it exists, else
 * `~/.skilled`.
 */
export function userFolder(environment: Environment, home: string | undefined): string | undefined {
  const moved = environment['SKILLED_HOME'] ?? '';
  if (moved !== '') return resolve(moved);
  const config = absolute(environment['XDG_CONFIG_HOME']);
  const standard = config === undefined ? undefined : join(config, 'skilled');
  if (standard !== undefined && existsSync(standard)) return standard;
  return home === undefined ? undefined : join(home, '.skilled');
}

/**
 * Returns the folder for cached data that speeds up the next start. It is in the user's cache, never in the
 * workspace.
 */
export function cacheFolder(environment: Environment, home: string | undefined): string | undefined {
  const cache =
    absolute(environment['XDG_CACHE_HOME']) ?? (home === undefined ? undefined : join(home, '.cache'));
  return cache === undefined ? undefined : join(cache, 'skilled');
}

/**
 * Returns the path if it is absolute, or else undefined, because a relative path would depend on
 * the working folder.
 */
function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

/** The folders in which to look for settings. */
export interface SettingsLocations {
  /**
   * The folder in which to start searching upwards for project settings. If absent, there are no project
   * settings.
   */
  readonly startDir?: string | undefined;
  /** The user's own settings folder. */
  readonly userFolder?: string | undefined;
  /** The user's home folder. Its `.skilled` folder belongs to the user, never to a project. */
  readonly home?: string | undefined;
}

/** The settings layers that are read from files. */
export type FileLayer = 'user' | 'project' | 'local';

/** A settings file, whether or not it exists. */
export interface SettingsFile {
  readonly layer: FileLayer;
  readonly file: string;
}

/** Returns the settings files that apply, lowest precedence first, including missing files. */
export function settingsFiles({ startDir, userFolder, home }: SettingsLocations): readonly SettingsFile[] {
  const own: readonly SettingsFile[] =
    userFolder === undefined ? [] : [{ layer: 'user', file: join(userFolder, 'settings.json') }];
  if (startDir === undefined) return own;
  const hasSettings = (dir: string): boolean => projectFiles(dir).some(({ file }) => existsSync(file));
  const project = projectFolder(resolve(startDir), home, hasSettings);
  return [...own, ...projectFiles(project).filter(({ file }) => file !== own[0]?.file)];
}

/** Returns a project's settings files, lowest precedence first. */
export function projectFiles(dir: string): readonly SettingsFile[] {
  return [
    { layer: 'project', file: join(dir, '.skilled', 'settings.json') },
    { layer: 'local', file: join(dir, '.skilled', 'settings.local.json') },
  ];
}

/**
 * Searches upwards for the nearest folder that satisfies `isOne`. Does not leave the repository or
 * go as far as the home folder. Skips folders that other users own or can write to, because those
 * users could create settings there. Returns the start folder if no folder matches.
 */
export function projectFolder(
  start: string,
  home: string | undefined,
  isOne: (dir: string) => boolean,
): string {
  const owner = ownerOf(start);
  for (let dir = start; dir !== home; dir = dirname(dir)) {
    if (dir !== start && (owner === undefined || ownerOf(dir) !== owner)) return start;
    if (isOne(dir)) return dir;
    if (existsSync(join(dir, '.git')) || dirname(dir) === dir) return start;
  }
  return start;
}

/**
 * Returns the user id of a folder's owner, or undefined if the folder is missing or world-writable.
 */
function ownerOf(dir: string): number | undefined {
  // On Windows, file modes do not describe other users' permissions.
  if (process.platform === 'win32') return 0;
  const stats = statSync(dir, { throwIfNoEntry: false });
  return stats === undefined || (stats.mode & 0o002) !== 0 ? undefined : stats.uid;
}
