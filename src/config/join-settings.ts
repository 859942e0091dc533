import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';

/** Objects are joined key by key; everything else is replaced by the higher layer. Pure. */
export function joinSettings(below: JsonObject, above: JsonObject): JsonObject {
  return join(withDefaultModel(below, above), above);
}

function join(below: JsonObject, above: JsonObject): JsonObject {
  const joined = new Map<string, Json>(Object.entries(below));
  for (const [key, value] of Object.entries(above)) {
    const before = joined.get(key);
    joined.set(key, isJsonObject(before) && isJsonObject(value) ? join(before, value) : value);
  }
  return Object.fromEntries(joined);
}

/** One model for all stays the model of the tiers that a higher layer says nothing of. */
function withDefaultModel(below: JsonObject, above: JsonObject): JsonObject {
  const { models } = below;
  if (models === undefined || isJsonObject(models) || !isJsonObject(above['models'])) return below;
  return { ...below, models: { default: models } };
}
