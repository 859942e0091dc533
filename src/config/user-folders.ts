import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

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
