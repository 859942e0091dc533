import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { mapValues } from './map-values.ts';

// Members whose value is data, and members that hold schemas by names of their own.
const plain: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'required']);
const named: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions']);

/** A JSON Schema in which everything that is required is also a property: the reader overlooks what is not. Pure. */
export function withRequired(schema: JsonObject): JsonObject {
  const whole = mapValues(schema, (value, key) => {
    if (plain.has(key)) return value;
    return named.has(key) && isJsonObject(value) ? mapValues(value, within) : within(value);
  });
  const { required, properties = {}, additionalProperties } = whole;
  if (!Array.isArray(required) || !isJsonObject(properties) || additionalProperties === false) return whole;
  const names = required.filter((name): name is string => typeof name === 'string');
  const missing = names.filter((name) => !Object.hasOwn(properties, name));
  if (missing.length === 0) return whole;
  const added = Object.fromEntries(missing.map((name) => [name, {}]));
  return { ...whole, properties: { ...properties, ...added } };
}

function within(value: Json): Json {
  if (Array.isArray(value)) return value.map(within);
  return isJsonObject(value) ? withRequired(value) : value;
}
