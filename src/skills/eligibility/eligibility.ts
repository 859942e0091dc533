import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import {
  isForeign,
  isJsonObject,
  type Json,
  type JsonObject,
  type MissingRequirement,
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

/**
 * The facts about the machine and the settings against which a skill's requirements are checked. The caller
 * provides all values.
 */
export interface World {
  /** The platform's name in Node.js, such as `linux`, `darwin` or `win32`. */
  readonly platform: string;
  readonly environment: Environment;
  hasBinary(name: string): boolean;
  readonly skills: SkillSettings;
  /** All settings, for checking `requires.config`. */
  readonly settings: JsonObject;
  /** Whether the program has disabled a skill. */
  isDisabled?(skill: { readonly name: string; readonly file: string }): boolean;
}

/**
 * Returns the requirements of a skill that are not met, each with a hint on how to meet it. Empty if the
 * skill is ready.
 */
export function whatIsMissing(skill: Keyed, world: World): readonly MissingRequirement[] {
  const key = entryKeyOf(skill, world.skills);
  const entry = key === undefined ? undefined : world.skills.entries?.[key];
  const missing = disabledBy(skill, world.skills);
  const { requires } = skill;
  if (requires === undefined) return missing;
  if (requires.os !== undefined && !requires.os.some((os) => platformOf(os) === world.platform)) {
    const names = requires.os.join(', ');
    missing.push({ kind: 'os', name: names, hint: `This skill only runs on ${names}.` });
  }
  if (requires.always === true) return missing;
  missing.push(...missingBinaries(requires, world), ...missingVariables(skill, requires, key, entry, world));
  for (const path of requires.config ?? []) {
    if (isTruthy(valueAt(world.settings, path))) continue;
    missing.push({ kind: 'config', name: path, hint: `Set "${path}" in the settings.` });
  }
  return missing;
}

function disabledBy(skill: Keyed, settings: SkillSettings): MissingRequirement[] {
  const { allowBundled, only, except } = settings;
  const off = (hint: string): MissingRequirement[] => [{ kind: 'disabled', name: skill.name, hint }];
  const switchedOff = switchedOffBy(skill, settings);
  if (switchedOff !== undefined)
    return off(`The skill is disabled in the settings (skills.entries.${switchedOff}.enabled).`);
  if (skill.source === 'bundled' && allowBundled !== undefined && !namesSkill(allowBundled, skill.name)) {
    return off('Add the skill to skills.allowBundled in the settings.');
  }
  if (only !== undefined && !namesSkill(only, skill.name))
    return off('Add the skill to skills.only in the settings.');
  if (except !== undefined && namesSkill(except, skill.name))
    return off('Remove the skill from skills.except in the settings.');
  return [];
}

const platformNames = new Map([
  ...['macos', 'mac', 'osx'].map((name): [string, string] => [name, 'darwin']),
  ...['windows', 'win'].map((name): [string, string] => [name, 'win32']),
]);

function platformOf(name: string): string {
  const platform = name.trim().toLowerCase();
  return platformNames.get(platform) ?? platform;
}

function missingBinaries(
  { bins = [], anyBins = [] }: Requirements,
  world: World,
): readonly MissingRequirement[] {
  const missing = bins
    .filter((name) => !world.hasBinary(name))
    .map((name): MissingRequirement => ({
      kind: 'bin',
      name,
      hint: `Install "${name}" and make sure that it is on PATH.`,
    }));
  if (anyBins.length > 0 && !anyBins.some((name) => world.hasBinary(name))) {
    missing.push({ kind: 'bin', name: anyBins.join(' | '), hint: `Install one of ${anyBins.join(', ')}.` });
  }
  return missing;
}

/**
 * Finds missing environment variables. A variable is available if the host sets it, or if the settings
 * provide an acceptable value for the skill.
 */
function missingVariables(
  skill: Keyed,
  requires: Requirements,
  key: string | undefined,
  entry: SkillEntry | undefined,
  world: World,
): readonly MissingRequirement[] {
  const names = requires.env ?? [];
  if (names.length === 0) return [];
  const grants = new Map(grantsOf(requires, entry).map((grant) => [grant.name, grant]));
  const own = isForeign(skill) ? undefined : requires.skillKey;
  const prefix = `skills.entries.${key ?? own ?? skill.name}`;
  return names.flatMap((name): readonly MissingRequirement[] => {
    if (variable(world.environment, name) !== undefined) return [];
    const given = grants.get(name);
    const set = `Set the environment variable ${name}`;
    const setting = requires.primaryEnv === name ? `${prefix}.apiKey` : `${prefix}.env.${name}`;
    if (given === undefined)
      return [{ kind: 'env', name, hint: `${set}, or set ${setting} in the settings.` }];
    if (given.refused !== undefined) {
      return [
        { kind: 'env', name, hint: `${set}; the value in the settings is not used: ${given.refused}.` },
      ];
    }
    if (resolveSetting(given.value, world.environment) !== undefined) return [];
    if (typeof given.value === 'string')
      return [{ kind: 'env', name, hint: `${set}; ${setting} is blank in the settings.` }];
    const hint = `Set the environment variable ${given.value.env}, which the settings use for ${name}.`;
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

/**
 * Finds programs on the PATH. Caches every result until `forget` is called, including for programs that do
 * not exist.
 */
export interface Binaries {
  has(name: string): boolean;
  forget(): void;
}

/**
 * Creates a lookup that reads the PATH only for names that are not cached. A name that contains a slash is
 * never found.
 */
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

/**
 * Whether a file is executable. Calls `stat` first, because an `access` call that fails is ten times slower.
 */
function isProgram(file: string): boolean {
  try {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // A program that this user may not execute is treated as missing.
  }
}
