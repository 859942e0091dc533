import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { optional } from '../core/collections.ts';
import { joinLayers, layersFor } from './join-layers.ts';
import type { Setting } from './setting.ts';
import { settingsDefinition } from './settings-definition.ts';
import { keyOf, valueAt, withKey } from './settings-key.ts';
import type { SettingsLayer } from './settings-layer.ts';

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
