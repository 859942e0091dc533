import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import {
  isForeign,
  isJsonObject,
  type Json,
  type JsonObject,
  type Missing,
  type Requirements,
} from '../../core/index.ts';
import { grantsOf, resolveSetting, variable, type Environment } from './environment.ts';
import {
  entryKeyOf,
  namesSkill,
  switchedOffBy,
  type Keyed,
  type SkillEntry,
  type SkillSettings,
} from './skill-settings.ts';

/** The machine and the settings as eligibility sees them; every part is handed in. */
export interface World {
  /** As Node names it: `linux`, `darwin`, `win32`. */
  readonly platform: string;
  readonly environment: Environment;
  hasBinary(name: string): boolean;
  readonly skills: SkillSettings;
  /** All settings, for `requires.config`. */
  readonly settings: JsonObject;
}

/** Everything that keeps a skill from being used here, each with the way to get it; empty when it is ready. */
export function whatIsMissing(skill: Keyed, world: World): readonly Missing[] {
  const key = entryKeyOf(skill, world.skills);
  const entry = key === undefined ? undefined : world.skills.entries?.[key];
  const missing = disabledBy(skill, world.skills);
  const { requires } = skill;
  if (requires === undefined) return missing;
  if (requires.os !== undefined && !requires.os.some((os) => platformOf(os) === world.platform)) {
    const names = requires.os.join(', ');
    missing.push({ kind: 'os', name: names, hint: `It runs on ${names} only.` });
  }
  if (requires.always === true) return missing;
  missing.push(...missingBinaries(requires, world), ...missingVariables(skill, requires, key, entry, world));
  for (const path of requires.config ?? []) {
    if (isTruthy(valueAt(world.settings, path))) continue;
    missing.push({ kind: 'config', name: path, hint: `Set "${path}" in the settings.` });
  }
  return missing;
}

function disabledBy(skill: Keyed, settings: SkillSettings): Missing[] {
  const { allowBundled, only, except } = settings;
  const off = (hint: string): Missing[] => [{ kind: 'disabled', name: skill.name, hint }];
  const switchedOff = switchedOffBy(skill, settings);
  if (switchedOff !== undefined)
    return off(`It is switched off in the settings (skills.entries.${switchedOff}.enabled).`);
  if (skill.source === 'bundled' && allowBundled !== undefined && !namesSkill(allowBundled, skill.name)) {
    return off('Add it to skills.allowBundled in the settings.');
  }
  if (only !== undefined && !namesSkill(only, skill.name))
    return off('Add it to skills.only in the settings.');
  if (except !== undefined && namesSkill(except, skill.name))
    return off('Remove it from skills.except in the settings.');
  return [];
}

const platformNames = new Map([
  ...['macos', 'mac', 'osx'].map((name): [string, string] => [name, 'darwin']),
  ...['windows', 'win'].map((name): [string, string] => [name, 'win32']),
]);

function platformOf(name: string): string {
  const word = name.trim().toLowerCase();
  return platformNames.get(word) ?? word;
}

function missingBinaries({ bins = [], anyBins = [] }: Requirements, world: World): readonly Missing[] {
  const missing = bins
    .filter((name) => !world.hasBinary(name))
    .map((name): Missing => ({ kind: 'bin', name, hint: `Install "${name}" so that it is found on PATH.` }));
  if (anyBins.length > 0 && !anyBins.some((name) => world.hasBinary(name))) {
    missing.push({ kind: 'bin', name: anyBins.join(' | '), hint: `Install one of ${anyBins.join(', ')}.` });
  }
  return missing;
}

/** A variable is there when the host has it, or when the settings give it to the skill and nothing refuses that. */
function missingVariables(
  skill: Keyed,
  requires: Requirements,
  key: string | undefined,
  entry: SkillEntry | undefined,
  world: World,
): readonly Missing[] {
  const names = requires.env ?? [];
  if (names.length === 0) return [];
  const grants = new Map(grantsOf(requires, entry).map((grant) => [grant.name, grant]));
  const own = isForeign(skill) ? undefined : requires.skillKey;
  const place = `skills.entries.${key ?? own ?? skill.name}`;
  return names.flatMap((name): readonly Missing[] => {
    if (variable(world.environment, name) !== undefined) return [];
    const given = grants.get(name);
    const set = `Set the environment variable ${name}`;
    const setting = requires.primaryEnv === name ? `${place}.apiKey` : `${place}.env.${name}`;
    if (given === undefined)
      return [{ kind: 'env', name, hint: `${set}, or name another one in ${setting} of the settings.` }];
    if (given.refused !== undefined) {
      return [{ kind: 'env', name, hint: `${set}; what the settings give is not used: ${given.refused}.` }];
    }
    if (resolveSetting(given.value, world.environment) !== undefined) return [];
    if (typeof given.value === 'string')
      return [{ kind: 'env', name, hint: `${set}; ${setting} in the settings is blank.` }];
    const hint = `Set the environment variable ${given.value.env}, from which the settings take ${name}.`;
    return [{ kind: 'env', name, hint }];
  });
}

function valueAt(settings: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = settings;
  for (const part of path.split('.'))
    value = isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  return value;
}

function isTruthy(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== false && value !== 0 && value !== '';
}

/** Looks programs up on the PATH; hits and misses are remembered until `forget`. */
export interface Binaries {
  has(name: string): boolean;
  forget(): void;
}

/** A look-up over the PATH as it is when a name is first asked for; names with a folder in them are never found. */
export function binariesOn(path: () => string, extensions: readonly string[] = ['']): Binaries {
  const known = new Map<string, boolean>();
  const look = (name: string): boolean => {
    if (!/^[^/\\\0]+$/.test(name)) return false;
    const folders = path()
      .split(delimiter)
      .filter((folder) => isAbsolute(folder));
    return folders.some((folder) =>
      extensions.some((extension) => isProgram(join(folder, name + extension))),
    );
  };
  return {
    has(name) {
      const before = known.get(name);
      if (before !== undefined) return before;
      const found = look(name);
      known.set(name, found);
      return found;
    },
    forget: () => {
      known.clear();
    },
  };
}

/** Looking first costs a tenth of failing to open: most names are in none of the folders. */
function isProgram(file: string): boolean {
  try {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // not ours to look at or to execute: the program is not there
  }
}
