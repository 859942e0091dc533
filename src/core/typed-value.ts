import { AgentError } from './error.ts';
import { isJsonObject, parseJson, type Json, type JsonObject } from './json.ts';

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
