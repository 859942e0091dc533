import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { joinSettings } from './join-settings.ts';
import type { Setting } from './setting.ts';
import { settingsDefinition } from './settings-definition.ts';
import { valueAt, withKey } from './settings-key.ts';
import type { SettingsLayer } from './settings-layer.ts';

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
export function layersFor(
  setting: Setting | undefined,
  layers: readonly SettingsLayer[],
): readonly SettingsLayer[] {
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
