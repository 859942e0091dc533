import { AgentError } from '../error.ts';
import { isJsonObject, parseJson, type Json, type JsonObject } from '../json.ts';

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

/** A text as the value that a JSON Schema asks for: text where it may be, else a number, a truth or JSON. Throws `usage.bad-input`. */
export function typedValue(what: string, text: string, schema: JsonObject | undefined): Json {
  const types = typesOf(schema);
  if (types.length === 0 || types.includes('string')) return text;
  const value = valueOf(text.trim(), types);
  if (value !== undefined) return value;
  const kinds = types.map((type) => words[type] ?? type).join(' or ');
  throw new AgentError('usage.bad-input', `${what} must be ${kinds}: "${text}".`, {
    hint: types.some((type) => type === 'array' || type === 'object')
      ? 'Write lists and objects as JSON, in quotes for the shell.'
      : `Give ${kinds}.`,
  });
}

/** The values of a flag that was given once or more; a list takes all of them, everything else the last. */
export function typedValues(what: string, texts: readonly string[], schema: JsonObject | undefined): Json {
  const last = texts.at(-1) ?? '';
  const isList = typesOf(schema).includes('array') && !typesOf(schema).includes('string');
  if (!isList || (texts.length === 1 && /^\s*\[/.test(last))) return typedValue(what, last, schema);
  const { items } = schema ?? {};
  return texts.map((text) => typedValue(what, text, isJsonObject(items) ? items : undefined));
}

/** The types that a JSON Schema allows by name; empty when it does not say. */
export function typesOf(schema: JsonObject | undefined): readonly string[] {
  const { type, anyOf, oneOf } = schema ?? {};
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.filter((one) => typeof one === 'string');
  const choices = [anyOf, oneOf].flatMap((one) => (Array.isArray(one) ? one.filter(isJsonObject) : []));
  const types = choices.map(typesOf);
  return types.some((one) => one.length === 0) ? [] : [...new Set(types.flat())];
}

const words: Readonly<Record<string, string>> = {
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
