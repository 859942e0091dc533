import { reasonOf } from '../core/error.ts';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Settings } from '../agent/options.ts';
import type { Issue } from '../core/issue.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { optional } from '../core/optional.ts';
import { parseJsonWithComments } from './json-with-comments.ts';
import { projectFolder } from './project-folder.ts';
import { fitSettings } from './settings-shape.ts';

/** Where settings may lie. */
export interface SettingsPlaces {
  /** Where project settings are looked for, upwards; without it there are none. */
  readonly startDir?: string | undefined;
  /** The folder of the user's own settings. */
  readonly userFolder?: string | undefined;
  /** A `.skilled` in it is the user's, never a project's. */
  readonly home?: string | undefined;
}

/** The settings files that apply, lowest precedence first; missing ones included. */
export function settingsFiles({ startDir, userFolder, home }: SettingsPlaces): readonly string[] {
  const own = userFolder === undefined ? [] : [join(userFolder, 'settings.json')];
  if (startDir === undefined) return own;
  const hasSettings = (dir: string): boolean => projectFiles(dir).some((file) => existsSync(file));
  const project = projectFolder(resolve(startDir), home, hasSettings);
  return [...own, ...projectFiles(project).filter((file) => !own.includes(file))];
}

/** Reads and joins the settings files; what is broken is a finding with its place, and the rest still counts. */
export function readSettings(places: SettingsPlaces): {
  readonly settings: Settings;
  readonly issues: readonly Issue[];
} {
  const issues: Issue[] = [];
  const layers = settingsFiles(places).map((file) => readLayer(file, issues));
  const all = layers.reduce(joinLayers, {});
  const { skills, plugins, allowSymlinkTargets, limits } = all;
  const known = { skills, plugins, allowSymlinkTargets, limits };
  const given = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
  return { settings: { ...given, all }, issues }; // every layer has the right shape, so the whole has it too
}

function readLayer(file: string, issues: Issue[]): JsonObject {
  const fault = (message: string, line?: number): void => {
    const hint = 'Correct the file; comments and trailing commas are fine.';
    const place = line === undefined ? { file } : { file, line };
    issues.push({ level: 'error', code: 'settings.invalid', message, ...place, hint });
  };
  const text = readText(file, fault);
  if (text === undefined) return {};
  const read = parseJsonWithComments(text);
  if (!read.ok)
    fault(`The settings are not valid JSON: ${read.message}. Nothing of them is used.`, read.line);
  else if (!isJsonObject(read.value)) fault('The settings must be a JSON object.', 1);
  else {
    const layer = fitSettings(read.value, (path, expected) =>
      fault(`"${path}" must be ${expected}. It is not used.`),
    );
    return anchorPaths(layer, file);
  }
  return {};
}

/** Relative folders in a settings file start where its `.skilled` lies, wherever the program was started. */
function anchorPaths(layer: JsonObject, file: string): JsonObject {
  const folder = dirname(file);
  const base = basename(folder) === '.skilled' ? dirname(folder) : folder;
  const { plugins, allowSymlinkTargets } = layer;
  return {
    ...layer,
    ...optional(
      'plugins',
      texts(plugins)?.map((name) => (name.startsWith('.') ? resolve(base, name) : name)),
    ),
    ...optional(
      'allowSymlinkTargets',
      texts(allowSymlinkTargets)?.map((path) => resolve(base, path)),
    ),
  };
}

function texts(value: Json | undefined): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
}

function readText(file: string, fault: (message: string) => void): string | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    if (stats.isFile()) return readFileSync(file, 'utf8');
    fault('The settings are not a regular file.');
  } catch (thrown) {
    fault(`The settings cannot be read: ${reasonOf(thrown)}.`);
  }
  return undefined;
}

/** Objects are joined key by key; everything else is replaced by the later layer. */
function joinLayers(below: JsonObject, above: JsonObject): JsonObject {
  const joined = new Map<string, Json>(Object.entries(below));
  for (const [key, value] of Object.entries(above)) {
    const before = joined.get(key);
    joined.set(key, isJsonObject(before) && isJsonObject(value) ? joinLayers(before, value) : value);
  }
  return Object.fromEntries(joined);
}

function projectFiles(dir: string): readonly string[] {
  return [join(dir, '.skilled', 'settings.json'), join(dir, '.skilled', 'settings.local.json')];
}
