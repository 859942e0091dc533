import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Ports } from '../agent/options.ts';
import {
  AgentError,
  getOrCreate,
  isAgentError,
  isJsonObject,
  optional,
  type Issue,
  type Json,
} from '../core/index.ts';
import { createDriftCheck, settleInstalled } from '../install/drift.ts';
import { lockName, readLock, type LockedSkill } from '../install/lock-file.ts';
import type { SourceContext } from '../install/tree.ts';
import { installTarget, type InstallTarget } from '../install/target.ts';
import { cacheFolder, homeFolder, projectFolder } from './paths.ts';
import { readSettings, settingsSources } from './read/settings.ts';

/** The settings and places that commands for installed skills use. */
export interface InstallConfig {
  readonly target: InstallTarget;
  /** The address that `owner/repo` is relative to. */
  readonly gitBase: string;
  readonly context: SourceContext;
  /** The folder for the files of installed skills, if there is a cache. */
  readonly cache?: string;
  /** The public keys of teams whose trust lists are accepted. */
  readonly trustKeys: readonly string[];
  /** Whether the program runs in continuous integration. */
  readonly isCi: boolean;
}

const defaultGitBase = 'https://github.com';

/** Reads the configuration for installing skills in the project of a folder, or for the user. */
export function installConfig(
  cwd: string,
  how: { readonly isUser?: boolean; readonly isSafe?: boolean; readonly isOffline?: boolean } = {},
): InstallConfig {
  const { isUser = false, isSafe = false, isOffline = false } = how;
  const environment = process.env;
  const home = homeFolder(environment);
  const all = readSettings(settingsSources(cwd, { isSafe })).settings.all?.['install'];
  const own: Readonly<Record<string, Json | undefined>> = isJsonObject(all) ? all : {};
  const cache = cacheFolder(environment, home);
  return {
    target: targetFor(cwd, home, isUser),
    gitBase: textOr(own['gitBase'], defaultGitBase),
    context: {
      environment,
      ...optional('npmRegistry', typeof own['npmRegistry'] === 'string' ? own['npmRegistry'] : undefined),
      npmConfig: npmConfig(environment, home),
      isOffline,
    },
    trustKeys: Array.isArray(own['trustKeys']) ? (own['trustKeys'] as readonly string[]) : [],
    isCi: !['', '0', 'false'].includes(environment['CI'] ?? ''),
    ...optional('cache', cache === undefined ? undefined : join(cache, 'installed')),
  };
}

/** Returns the target in the nearest folder with a lock or a repository, or in the user's home folder. */
export function targetFor(cwd: string, home: string | undefined, isUser: boolean): InstallTarget {
  if (isUser) {
    if (home !== undefined) return installTarget(home, { isUser });
    throw new AgentError('usage.bad-input', 'There is no home folder to install skills in.', {
      hint: 'Set HOME, or leave out --user.',
    });
  }
  const isProject = (dir: string): boolean =>
    existsSync(join(dir, lockName)) || existsSync(join(dir, '.git'));
  return installTarget(projectFolder(resolve(cwd), home, isProject));
}

/** Returns the targets whose skills are used in a folder: that of the project and that of the user. */
export function targetsFor(cwd: string | undefined, home: string | undefined): readonly InstallTarget[] {
  const project = cwd === undefined ? [] : [targetFor(cwd, home, false)];
  const user = home === undefined ? [] : [installTarget(home, { isUser: true })];
  return [...project.filter(({ base }) => base !== home), ...user];
}

/** Returns the ports through which an agent checks installed skills. Each project is checked at most once a second. */
export function installedPorts(
  environment: Ports['environment'],
  home: string | undefined,
): Required<Pick<Ports, 'settleInstalled' | 'installedIssues'>> {
  const cache = cacheFolder(environment, home);
  const checks = new Map<string | undefined, () => readonly Issue[]>();
  return {
    settleInstalled: (startDir) => {
      for (const target of targetsFor(startDir, home)) settleInstalled(target);
    },
    installedIssues: (startDir) =>
      getOrCreate(checks, startDir, 100, () =>
        createDriftCheck(
          targetsFor(startDir, home),
          cache === undefined ? undefined : join(cache, 'installed'),
        ),
      )(),
  };
}

/** Returns the entries of the locks that apply in a folder, by the folder of each skill. Damaged locks are skipped. */
export function installedSkills(cwd: string): ReadonlyMap<string, LockedSkill> {
  const found = new Map<string, LockedSkill>();
  for (const target of targetsFor(cwd, homeFolder())) {
    try {
      for (const [name, entry] of readLock(target.lockFile)) found.set(join(target.skills, name), entry);
    } catch (thrown) {
      if (!isAgentError(thrown)) throw thrown; // A damaged lock is reported as an issue.
    }
  }
  return found;
}

/** Reads the user's npm configuration. That of a project is ignored, because it could name its own registry. */
function npmConfig(environment: SourceContext['environment'], home: string | undefined): string {
  const file =
    environment['npm_config_userconfig'] ?? (home === undefined ? undefined : join(home, '.npmrc'));
  try {
    return file === undefined ? '' : readFileSync(file, 'utf8');
  } catch {
    return ''; // Without the file, npm's defaults apply.
  }
}

function textOr(value: Json | undefined, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
