import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Ports } from '../agent/options.ts';
import { builtinSkills } from '../builtins/index.ts';
import { builtinFamilies } from '../families/index.ts';
import { ownPackage } from './package-root.ts';
import { readSettings } from './settings.ts';

/** The implementations and the machine that an agent gets unless its caller chooses others. */
export function defaultPorts(environment: Readonly<Record<string, string | undefined>> = process.env): Ports {
  const own = ownPackage();
  const home = environment['HOME'] ?? homedir();
  return {
    families: builtinFamilies,
    builtins: builtinSkills,
    bundledRoot: join(own.root, 'skills'),
    home,
    platform: process.platform,
    environment,
    cacheFolder: join(environment['XDG_CACHE_HOME'] ?? join(home, '.cache'), 'skilled'),
    cacheKey: own.version,
    readSettings: (startDir) => readSettings(startDir, userFolder(environment, home)),
  };
}

/** Where the user's own settings live: `SKILLED_HOME`, else the XDG folder if it is there, else `~/.skilled`. */
export function userFolder(environment: Readonly<Record<string, string | undefined>>, home: string): string {
  return environment['SKILLED_HOME'] ?? join(home, '.skilled');
}
