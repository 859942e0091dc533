import type { JsonObject, Json } from '../core/json.ts';
import { isJsonObject } from '../core/json.ts';
import { normaliseName } from '../core/names.ts';
import type { Missing, Requirements, Source } from '../core/skill.ts';

/** A secret by the name of the variable that holds it, or plain text where it is none. */
export type SettingValue = string | { readonly env: string };

/** What settings say about one skill. */
export interface SkillEntry {
  readonly enabled?: boolean;
  readonly env?: Readonly<Record<string, SettingValue>>;
  readonly apiKey?: SettingValue;
  readonly config?: JsonObject;
}

/** The part of the settings that decides which skills may be used. */
export interface SkillSettings {
  readonly entries?: Readonly<Record<string, SkillEntry>>;
  /** Bundled skills that may be used; an empty list allows none. */
  readonly allowBundled?: readonly string[];
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  /** Names of bundled skills that other sources may replace. */
  readonly allowOverrideBundled?: readonly string[];
}

/** The machine and the settings as eligibility sees them; every part is handed in. */
export interface World {
  /** As Node names it: `linux`, `darwin`, `win32`. */
  readonly platform: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  hasBinary(name: string): boolean;
  readonly skills: SkillSettings;
  /** All settings, for `requires.config`. */
  readonly settings: JsonObject;
}

/** What eligibility looks at in a skill. */
export interface Subject {
  readonly name: string;
  readonly source: Source;
  readonly requires?: Requirements | undefined;
}

/** Everything that keeps a skill from being used here, each with the way to get it; empty when it is ready. */
export function whatIsMissing(skill: Subject, world: World): readonly Missing[] {
  const requires = skill.requires;
  const entry = entryOf(skill, world.skills);
  const missing = disabledBy(skill, entry, world.skills);
  if (requires === undefined) return missing;
  if (requires.os !== undefined && !requires.os.some((os) => platformOf(os) === world.platform)) {
    missing.push({ kind: 'os', name: requires.os.join(', '), hint: `It runs on ${requires.os.join(', ')} only.` });
  }
  if (requires.always === true) return missing;
  for (const name of requires.bins ?? []) {
    if (!world.hasBinary(name)) missing.push({ kind: 'bin', name, hint: `Install "${name}" so that it is found on PATH.` });
  }
  const any = requires.anyBins ?? [];
  if (any.length > 0 && !any.some((name) => world.hasBinary(name))) {
    missing.push({ kind: 'bin', name: any.join(' | '), hint: `Install one of ${any.join(', ')}.` });
  }
  for (const name of requires.env ?? []) {
    if (!hasVariable(name, requires, entry, world)) missing.push({ kind: 'env', name, hint: `Set the environment variable ${name}.` });
  }
  for (const path of requires.config ?? []) {
    if (!isTruthy(valueAt(world.settings, path))) missing.push({ kind: 'config', name: path, hint: `Set "${path}" in the settings.` });
  }
  return missing;
}

/** The settings entry of a skill: under its `skillKey`, else its name. */
export function entryOf(skill: Subject, settings: SkillSettings): SkillEntry | undefined {
  const key = skill.requires?.skillKey ?? skill.name;
  const { entries } = settings;
  if (entries === undefined) return undefined;
  if (Object.hasOwn(entries, key)) return entries[key];
  return Object.hasOwn(entries, skill.name) ? entries[skill.name] : undefined;
}

/** The text behind a setting: itself, or the variable it names; blank counts as not set. */
export function resolveSetting(value: SettingValue | undefined, environment: World['environment']): string | undefined {
  const text = typeof value === 'object' ? environment[value.env] : value;
  return text === undefined || text.trim() === '' ? undefined : text;
}

function disabledBy(skill: Subject, entry: SkillEntry | undefined, settings: SkillSettings): Missing[] {
  const named = (list: readonly string[]): boolean => list.some((name) => normaliseName(name) === skill.name);
  if (entry?.enabled === false) {
    return [{ kind: 'disabled', name: skill.name, hint: `It is switched off in settings (skills.entries.${skill.name}.enabled).` }];
  }
  if (skill.source === 'bundled' && settings.allowBundled !== undefined && !named(settings.allowBundled)) {
    return [{ kind: 'disabled', name: skill.name, hint: 'Add it to skills.allowBundled in the settings.' }];
  }
  if (settings.only !== undefined && !named(settings.only)) {
    return [{ kind: 'disabled', name: skill.name, hint: 'Add it to skills.only in the settings.' }];
  }
  if (settings.except !== undefined && named(settings.except)) {
    return [{ kind: 'disabled', name: skill.name, hint: 'Remove it from skills.except in the settings.' }];
  }
  return [];
}

const platformNames: Readonly<Record<string, string>> = { macos: 'darwin', mac: 'darwin', osx: 'darwin', windows: 'win32', win: 'win32' };

function platformOf(name: string): string {
  const word = name.trim().toLowerCase();
  return platformNames[word] ?? word;
}

function hasVariable(name: string, requires: Requirements, entry: SkillEntry | undefined, world: World): boolean {
  const own = entry?.env !== undefined && Object.hasOwn(entry.env, name) ? entry.env[name] : undefined;
  const key = requires.primaryEnv === name ? entry?.apiKey : undefined;
  return [world.environment[name], resolveSetting(own, world.environment), resolveSetting(key, world.environment)].some(
    (value) => value !== undefined && value.trim() !== '',
  );
}

function valueAt(settings: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = settings;
  for (const part of path.split('.')) value = isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  return value;
}

function isTruthy(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== false && value !== 0 && value !== '';
}
