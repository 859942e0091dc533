import { existsSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { optional } from '../core/index.ts';

/** The folders in which we write by ourselves; those that are not there are absent. */
export interface OwnFolders {
  /** The `.skilled` of the project, and whether that lies in a repository. */
  readonly project?: { readonly folder: string; readonly isInRepository: boolean };
  readonly user?: string;
  readonly cache?: string;
}

/** Our own folders for a command that works in a folder; with `isSafe` none of a project. */
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

/** The user's home folder: `HOME`, else what the system says; undefined where there is none. */
export function homeFolder(environment: Environment = process.env): string | undefined {
  const given = absolute(environment['HOME']);
  if (given !== undefined) return resolve(given);
  try {
    return absolute(userInfo().homedir);
  } catch {
    return undefined; // a user without an account entry, as in many containers
  }
}

/** Where the user's own settings live: `SKILLED_HOME`, else the XDG folder if it is there, else `~/.skilled`. */
export function userFolder(environment: Environment, home: string | undefined): string | undefined {
  const moved = environment['SKILLED_HOME'] ?? '';
  if (moved !== '') return resolve(moved);
  const config = absolute(environment['XDG_CONFIG_HOME']);
  const standard = config === undefined ? undefined : join(config, 'skilled');
  if (standard !== undefined && existsSync(standard)) return standard;
  return home === undefined ? undefined : join(home, '.skilled');
}

/** Where knowledge for warm starts is kept: the user's cache folder, never the workspace. */
export function cacheFolder(environment: Environment, home: string | undefined): string | undefined {
  const cache =
    absolute(environment['XDG_CACHE_HOME']) ?? (home === undefined ? undefined : join(home, '.cache'));
  return cache === undefined ? undefined : join(cache, 'skilled');
}

/** A relative path would depend on where the program was started, so it counts as not given. */
function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

/** Where settings may lie. */
export interface SettingsPlaces {
  /** Where project settings are looked for, upwards; without it there are none. */
  readonly startDir?: string | undefined;
  /** The folder of the user's own settings. */
  readonly userFolder?: string | undefined;
  /** A `.skilled` in it is the user's, never a project's. */
  readonly home?: string | undefined;
}

/** Who writes a settings file. */
export type FileLayer = 'user' | 'project' | 'local';

/** A settings file, whether it is there or not. */
export interface SettingsFile {
  readonly layer: FileLayer;
  readonly file: string;
}

/** The settings files that apply, lowest precedence first; missing ones included. */
export function settingsFiles({ startDir, userFolder, home }: SettingsPlaces): readonly SettingsFile[] {
  const own: readonly SettingsFile[] =
    userFolder === undefined ? [] : [{ layer: 'user', file: join(userFolder, 'settings.json') }];
  if (startDir === undefined) return own;
  const hasSettings = (dir: string): boolean => projectFiles(dir).some(({ file }) => existsSync(file));
  const project = projectFolder(resolve(startDir), home, hasSettings);
  return [...own, ...projectFiles(project).filter(({ file }) => file !== own[0]?.file)];
}

/** The settings files of a project, lowest precedence first. */
export function projectFiles(dir: string): readonly SettingsFile[] {
  return [
    { layer: 'project', file: join(dir, '.skilled', 'settings.json') },
    { layer: 'local', file: join(dir, '.skilled', 'settings.local.json') },
  ];
}

/**
 * The nearest folder upwards that is one, within the repository and below home; else the start folder itself. Folders
 * of other users, and those in which anybody may write, are not asked: what lies there may be from anybody.
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

/** Undefined for a folder of everybody, and for none. */
function ownerOf(dir: string): number | undefined {
  if (process.platform === 'win32') return 0; // its modes say nothing about others
  const stats = statSync(dir, { throwIfNoEntry: false });
  return stats === undefined || (stats.mode & 0o002) !== 0 ? undefined : stats.uid;
}
