import { AgentError } from '../error.ts';
import { isJsonObject, parseJson, type Json, type JsonObject } from '../json.ts';

/**
 * Returns the name of the input property that receives plain text: the family's default argument, or else the
 * only required string property. Undefined if neither exists. Pure.
 */
export function textArgument(schema: JsonObject | undefined, defaultArgument = 'input'): string | undefined {
  if (!isJsonObject(schema?.['properties']) || propertyOf(schema, defaultArgument) !== undefined)
    return defaultArgument;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const texts = required
    .filter((key) => typeof key === 'string')
    .filter((key) => typesOf(propertyOf(schema, key)).includes('string'));
  return texts.length === 1 ? texts[0] : undefined;
}

/** Returns the schema of an object's property, or undefined. Pure. */
export function propertyOf(schema: JsonObject | undefined, key: string): JsonObject | undefined {
  const { properties } = schema ?? {};
  const found = isJsonObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
  return isJsonObject(found) ? found : undefined;
}

/** Whether a JSON Schema describes an object. Undefined if the schema does not specify a type. Pure. */
export function takesObject(schema: JsonObject | undefined): boolean | undefined {
  const types = typesOf(schema);
  if (types.length > 0) return types.includes('object');
  return isJsonObject(schema?.['properties']) ? true : undefined;
}

/**
 * Converts text to a type that a JSON Schema allows: a string if allowed, otherwise a number, boolean, null
 * or other JSON. Throws `usage.bad-input`.
 */
export function typedValue(what: string, text: string, schema: JsonObject | undefined): Json {
  const types = typesOf(schema);
  if (types.length === 0 || types.includes('string')) return text;
  const value = valueOf(text.trim(), types);
  if (value !== undefined) return value;
  const kinds = types.map((type) => typeLabels[type] ?? type).join(' or ');
  throw new AgentError('usage.bad-input', `${what} must be ${kinds}, got "${text}".`, {
    hint: types.some((type) => type === 'array' || type === 'object')
      ? 'Pass lists and objects as JSON, quoted for the shell.'
      : `Use ${kinds}.`,
  });
}

/**
 * Returns the value of a flag that was given one or more times. A list contains all values; any other type
 * uses the last one. Throws `usage.bad-input`.
 */
export function typedValues(what: string, texts: readonly string[], schema: JsonObject | undefined): Json {
  const last = texts.at(-1) ?? '';
  const isList = typesOf(schema).includes('array') && !typesOf(schema).includes('string');
  if (!isList || (texts.length === 1 && /^\s*\[/.test(last))) return typedValue(what, last, schema);
  const { items } = schema ?? {};
  return texts.map((text) => typedValue(what, text, isJsonObject(items) ? items : undefined));
}

/** Returns the types that a JSON Schema allows, or an empty list if it does not specify any. */
export function typesOf(schema: JsonObject | undefined): readonly string[] {
  const { type, anyOf, oneOf } = schema ?? {};
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.filter((one) => typeof one === 'string');
  const choices = [anyOf, oneOf].flatMap((one) => (Array.isArray(one) ? one.filter(isJsonObject) : []));
  const types = choices.map(typesOf);
  return types.some((one) => one.length === 0) ? [] : [...new Set(types.flat())];
}

const typeLabels: Readonly<Record<string, string>> = {
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

function valueOf(text: string, types: readonly string[]): Json | undefined {
  const value = parseJson(text);
  const isFine = types.some(
    (type) => type === kindOf(value) || (type === 'integer' && Number.isInteger(value)),
  );
  return isFine ? value : undefined;
}

function kindOf(value: Json | undefined): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
