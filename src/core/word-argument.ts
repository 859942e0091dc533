import { isJsonObject, type JsonObject } from './json.ts';
import { typesOf } from './typed-value.ts';

/** Where plain words go in an input of this JSON Schema: the default argument of the family, else the only text that must be given; undefined when it does not say. Pure. */
export function wordArgument(schema: JsonObject | undefined, defaultArgument = 'input'): string | undefined {
  if (!isJsonObject(schema?.['properties']) || propertyOf(schema, defaultArgument) !== undefined)
    return defaultArgument;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const texts = required
    .filter((key) => typeof key === 'string')
    .filter((key) => typesOf(propertyOf(schema, key)).includes('string'));
  return texts.length === 1 ? texts[0] : undefined;
}

/** What a JSON Schema says of a member of an object. Pure. */
export function propertyOf(schema: JsonObject | undefined, key: string): JsonObject | undefined {
  const { properties } = schema ?? {};
  const found = isJsonObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
  return isJsonObject(found) ? found : undefined;
}

/** Whether an input of this JSON Schema has parts with names; undefined when it does not say. Pure. */
export function takesObject(schema: JsonObject | undefined): boolean | undefined {
  const types = typesOf(schema);
  if (types.length > 0) return types.includes('object');
  return isJsonObject(schema?.['properties']) ? true : undefined;
}
