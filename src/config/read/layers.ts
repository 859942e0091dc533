import { isJsonObject, optional, type Json, type JsonObject, type RulePosition } from '../../core/index.ts';
import type { FileLayer } from '../paths.ts';
import { settingsDefinition } from '../schema/definition.ts';
import { keyOf, valueAt, withKey } from '../schema/key.ts';
import type { Setting } from '../schema/setting.ts';

/** The value that a layer sets for a key. */
export interface Say {
  readonly layer: SettingsLayer['name'];
  /** The file, variable or flag that sets the value. Empty for the default. */
  readonly from: string;
  readonly value: Json;
  /** The key of the parent setting, if the layer sets the parent as a whole. */
  readonly key?: string;
  /** Whether this value contributes to the effective value. */
  readonly wins: boolean;
}

/** A setting's effective value and the layers that set it. */
export interface Explanation {
  readonly key: string;
  /** The setting that contains the key. Absent for an unknown key. */
  readonly setting?: Setting;
  readonly value?: Json;
  /** The values from all layers that set the key, highest precedence first. */
  readonly says: readonly Say[];
}

/**
 * Explains which layers set the value at a path. `layers` are ordered from lowest to highest precedence and
 * contain no defaults. Pure.
 */
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

/** Returns the model that the layer sets for all tiers, or undefined if it sets tiers individually. */
function forAllTiers([first]: readonly Say[]): Json | undefined {
  return first?.key === 'models' ? first.value : undefined;
}

/** Returns the setting at a path, or the setting that contains the path. */
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

/**
 * Returns a layer's value at a path. If a parent on the path has a plain value, returns that value and the
 * parent's key.
 */
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
 * Sorts the layers for a setting, lowest precedence first. For settings with `wholeEntries`, the user's
 * layers take precedence over the project's.
 */
function layersFor(setting: Setting | undefined, layers: readonly SettingsLayer[]): readonly SettingsLayer[] {
  if (setting?.wholeEntries !== true) return layers;
  return [...layers.filter(isOfProject), ...layers.filter((layer) => !isOfProject(layer))];
}

/** Returns whether a layer is a project file. All other layers are under the user's control. */
export function isOfProject({ name }: SettingsLayer): boolean {
  return name === 'project' || name === 'local';
}

function entriesAt(values: JsonObject, path: readonly string[]): readonly [string, Json][] {
  const found = valueAt(values, path);
  return isJsonObject(found) ? Object.entries(found) : [];
}

/** The names of the settings layers, highest precedence first. */
export const layerNames = ['flag', 'environment', 'local', 'project', 'user', 'default'] as const;

/**
 * One source of settings. Several sources can have the same name, because each variable and each flag is a
 * source.
 */
export interface SettingsLayer {
  readonly name: FileLayer | 'flag' | 'environment' | 'default';
  /** The file, variable or flag that provides the values. Empty for defaults. */
  readonly from: string;
  readonly values: JsonObject;
  /** The positions of the deny and ask rules in the file. */
  readonly rulePositions?: readonly RulePosition[];
}

/**
 * Merges two settings objects key by key. Lists marked `adds` are concatenated; for other values, `above`
 * takes precedence. Pure.
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

/** Concatenates the lists marked `adds`, so that no layer can remove what another layer forbids. */
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

/**
 * Converts a model that applies to all tiers to an object if the higher layer sets individual tiers. The
 * model then applies only to the remaining tiers.
 */
function withDefaultModel(below: JsonObject, above: JsonObject): JsonObject {
  const { models } = below;
  if (models === undefined || isJsonObject(models) || !isJsonObject(above['models'])) return below;
  return { ...below, models: { default: models } };
}
