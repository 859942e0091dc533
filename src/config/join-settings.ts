import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { settingsDefinition } from './settings-definition.ts';
import { valueAt, withKey } from './settings-key.ts';

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
