import { isJsonObject, optional, type Json, type JsonObject } from '../../core/index.ts';
import type { FileLayer } from '../paths.ts';
import { settingsDefinition } from '../schema/definition.ts';
import { keyOf, valueAt, withKey } from '../schema/key.ts';
import type { Setting } from '../schema/setting.ts';

/** The value that one layer sets for a key. */
export interface Say {
  readonly layer: SettingsLayer['name'];
  /** The file, variable or flag that sets the value. Empty for the default. */
  readonly from: string;
  readonly value: Json;
  /** The parent key, if this layer sets the parent instead of the key itself. */
  readonly key?: string;
  /** Whether this value contributes to the effective value. */
  readonly wins: boolean;
}

/** A key's effective value and its sources. */
export interface Explanation {
  readonly key: string;
  /** The setting that the key belongs to. Absent for an unknown key. */
  readonly setting?: Setting;
  readonly value?: Json;
  /** The values from all layers that set the key, highest precedence first. */
  readonly says: readonly Say[];
}

/** Explains which layers set a key's value. The layers are ordered lowest first, without defaults. Pure. */
export function explainSetting(path: readonly string[], layers: readonly SettingsLayer[]): Explanation {
  const all = [defaultLayer, ...layers];
  const joined = joinLayers(all);
  const setting = settingOf(path);
  const adds = setting?.adds === true;
  const isWhole = setting?.wholeEntries === true && keyOf(path) !== setting.key;
  let isOpen = true;
  const says = layersFor(setting, all)
    .toReversed()
    .flatMap(({ name, from, values }): Say[] => {
      const found = saidIn(values, path);
      if (found === undefined) return [];
      const wins = isOpen;
      isOpen = isOpen && ((isJsonObject(found.value) && !isWhole) || adds);
      return [{ layer: name, from, ...found, wins }];
    });
  return {
    key: keyOf(path),
    ...optional('setting', setting),
    ...optional('value', valueAt(joined, path) ?? forAllTiers(says)),
    says,
  };
}

/** Returns the single model that applies to every tier, if one is set. */
function forAllTiers([first]: readonly Say[]): Json | undefined {
  return first?.key === 'models' ? first.value : undefined;
}

/** Returns the setting at a path, or the setting that contains it. */
export function settingOf(path: readonly string[]): Setting | undefined {
  return settingsDefinition.find(({ key }) => key.split('.').every((name, index) => path[index] === name));
}

const defaultLayer: SettingsLayer = {
  name: 'default',
  from: '',
  values: settingsDefinition.reduce<JsonObject>(
    (values, { key, default: usual }) =>
      usual === undefined ? values : withKey(values, key.split('.'), usual),
    {},
  ),
};

/** Returns a layer's value at a path, or else the plain value of the nearest parent. */
function saidIn(values: JsonObject, path: readonly string[]): Pick<Say, 'value' | 'key'> | undefined {
  const value = valueAt(values, path);
  if (value !== undefined) return { value };
  const outer = path
    .map((_, index) => path.slice(0, index + 1))
    .find((part) => isPlain(valueAt(values, part)));
  return outer === undefined ? undefined : { value: valueAt(values, outer) ?? null, key: keyOf(outer) };
}

function isPlain(value: Json | undefined): boolean {
  return value !== undefined && !isJsonObject(value);
}

/** Merges settings layers, ordered from lowest to highest precedence. Pure. */
export function joinLayers(layers: readonly SettingsLayer[]): JsonObject {
  const joined = layers.map(({ values }) => values).reduce(joinSettings, {});
  return settingsDefinition
    .filter(({ wholeEntries }) => wholeEntries === true)
    .reduce((values, setting) => {
      const path = setting.key.split('.');
      const entries = layersFor(setting, layers).flatMap((layer) => entriesAt(layer.values, path));
      return entries.length === 0 ? values : withKey(values, path, Object.fromEntries(entries));
    }, joined);
}

/**
 * Sorts the layers for a setting by precedence, lowest first. For a setting whose entries must not be mixed,
 * the user's own layers take precedence over the project's.
 */
function layersFor(setting: Setting | undefined, layers: readonly SettingsLayer[]): readonly SettingsLayer[] {
  if (setting?.wholeEntries !== true) return layers;
  return [...layers.filter(isOfProject), ...layers.filter((layer) => !isOfProject(layer))];
}

/** Whether a layer is a project file. All other layers belong to the user. */
export function isOfProject({ name }: SettingsLayer): boolean {
  return name === 'project' || name === 'local';
}

function entriesAt(values: JsonObject, path: readonly string[]): readonly [string, Json][] {
  const found = valueAt(values, path);
  return isJsonObject(found) ? Object.entries(found) : [];
}

/** The sources of a value, highest precedence first. */
export const layerNames = ['flag', 'environment', 'local', 'project', 'user', 'default'] as const;

/** One source of settings. Sources can share a name: each variable, for example, is a separate source. */
export interface SettingsLayer {
  readonly name: FileLayer | 'flag' | 'environment' | 'default';
  /** The file, variable or flag that provides the values. Empty for defaults. */
  readonly from: string;
  readonly values: JsonObject;
}

/**
 * Merges settings key by key. Lists marked `adds` are concatenated; other values are replaced by those of the
 * higher layer. Pure.
 */
export function joinSettings(below: JsonObject, above: JsonObject): JsonObject {
  return withAdded(below, above, join(withDefaultModel(below, above), above));
}

function join(below: JsonObject, above: JsonObject): JsonObject {
  const joined = new Map<string, Json>(Object.entries(below));
  for (const [key, value] of Object.entries(above)) {
    const before = joined.get(key);
    joined.set(key, isJsonObject(before) && isJsonObject(value) ? join(before, value) : value);
  }
  return Object.fromEntries(joined);
}

const added = settingsDefinition.filter(({ adds }) => adds === true).map(({ key }) => key.split('.'));

/** Merges the lists of settings marked `adds`, so that no layer can remove what another one forbids. */
function withAdded(below: JsonObject, above: JsonObject, joined: JsonObject): JsonObject {
  return added.reduce((values, path) => {
    const [first, second] = [listAt(below, path), listAt(above, path)];
    if (first.length === 0) return values;
    return withKey(values, path, [...new Set([...first, ...second])]);
  }, joined);
}

function listAt(values: JsonObject, path: readonly string[]): readonly Json[] {
  const value = valueAt(values, path);
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

/** Applies a single model to every tier that no higher layer sets. */
function withDefaultModel(below: JsonObject, above: JsonObject): JsonObject {
  const { models } = below;
  if (models === undefined || isJsonObject(models) || !isJsonObject(above['models'])) return below;
  return { ...below, models: { default: models } };
}
