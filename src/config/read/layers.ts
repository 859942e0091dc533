import { isJsonObject, optional, type Json, type JsonObject } from '../../core/index.ts';
import type { FileLayer } from '../paths.ts';
import { settingsDefinition } from '../schema/definition.ts';
import { keyOf, valueAt, withKey } from '../schema/key.ts';
import type { Setting } from '../schema/setting.ts';

/** One layer that says something about a key. */
export interface Say {
  readonly layer: SettingsLayer['name'];
  /** The file, the variable or the flag; empty for the default. */
  readonly from: string;
  readonly value: Json;
  /** Set when it speaks of something that the key lies in, and thereby of the key. */
  readonly key?: string;
  /** Whether the effective value is this one, or has it in it. */
  readonly wins: boolean;
}

/** What a key comes to, and why. */
export interface Explanation {
  readonly key: string;
  /** What it is part of; absent for a key that is not ours. */
  readonly setting?: Setting;
  readonly value?: Json;
  /** Who says something about it, highest precedence first. */
  readonly says: readonly Say[];
}

/** Explains a key by layers that are given lowest first; the defaults are added below them. Pure. */
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

/** One model for all is that of every tier. */
function forAllTiers([first]: readonly Say[]): Json | undefined {
  return first?.key === 'models' ? first.value : undefined;
}

/** The setting that a path leads to or into. */
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

/** What a layer says about a path: the value there, or a plain one on the way to it. */
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

/** What layers come to that are given lowest first. Pure. */
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

/** The layers in the order that counts for a setting, lowest first: where entries stay whole, the user's own file goes before those of a project. */
function layersFor(setting: Setting | undefined, layers: readonly SettingsLayer[]): readonly SettingsLayer[] {
  if (setting?.wholeEntries !== true) return layers;
  return [...layers.filter(isOfProject), ...layers.filter((layer) => !isOfProject(layer))];
}

/** Whether a layer is a file of a project; all others are the user's own. */
export function isOfProject({ name }: SettingsLayer): boolean {
  return name === 'project' || name === 'local';
}

function entriesAt(values: JsonObject, path: readonly string[]): readonly [string, Json][] {
  const found = valueAt(values, path);
  return isJsonObject(found) ? Object.entries(found) : [];
}

/** Where a value comes from, highest precedence first. */
export const layerNames = ['flag', 'environment', 'local', 'project', 'user', 'default'] as const;

/** One source of settings; several may have one name, as each variable is one of its own. */
export interface SettingsLayer {
  readonly name: FileLayer | 'flag' | 'environment' | 'default';
  /** The file, the variable or the flag; empty for defaults. */
  readonly from: string;
  readonly values: JsonObject;
}

/** Objects are joined key by key, and so are the lists of settings that say so; everything else is replaced by the higher layer. Pure. */
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

/** No layer can take away what another one forbids. */
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

/** One model for all stays the model of the tiers that a higher layer says nothing of. */
function withDefaultModel(below: JsonObject, above: JsonObject): JsonObject {
  const { models } = below;
  if (models === undefined || isJsonObject(models) || !isJsonObject(above['models'])) return below;
  return { ...below, models: { default: models } };
}
