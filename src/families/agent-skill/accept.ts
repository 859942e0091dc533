import {
  AgentError,
  fitSchema,
  isJsonObject,
  parseJson,
  type Json,
  type JsonObject,
} from '../../core/index.ts';
import type { AgentSkillDefinition } from './parse.ts';
import { splitWords } from './render/arguments.ts';

/** The input as the schema of the skill takes it; people and models may give the text of its arguments instead. Throws `usage.bad-input`. */
export function accept({ name, argumentNames, input, fit }: AgentSkillDefinition, given: Json): unknown {
  const schema = input?.();
  if (schema === undefined) return given;
  const shaped = schema['type'] === 'object' ? asObject(given, schema, argumentNames ?? []) : given;
  return fit === undefined ? fitSchema({ skill: name }, schema, shaped) : fit(shaped);
}

/** An object from nothing, from JSON, or from words in the order of the declared names; anything else stays as it is. */
function asObject(given: Json, schema: JsonObject, names: readonly string[]): Json {
  if (given === null) return {};
  if (typeof given !== 'string') return given;
  const parsed = given.trimStart().startsWith('{') ? parseJson(given) : undefined;
  if (isJsonObject(parsed)) return parsed;
  const words = splitWords(given);
  if (words.length === 0) return {};
  const [sole, ...others] = names.length > 0 ? names : requiredTexts(schema);
  if (sole === undefined) return given;
  if (others.length === 0) return { [sole]: typed(words.length === 1 ? words[0] : given, sole, schema) };
  if (names.length === 0) return given; // nobody says which text is meant
  if (words.length > names.length) throw tooMany(words.length, names);
  const members = words.map(
    (word, index) => [names[index] ?? '', typed(word, names[index], schema)] as const,
  );
  return Object.fromEntries(members);
}

/** The required members that are texts, where nothing else is required. */
function requiredTexts({ required = [], properties = {} }: JsonObject): readonly string[] {
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  const isText = (name: string): boolean => typeOf(name, properties) === 'string';
  return names.every(isText) ? names : [];
}

/** A word as the number or switch that its member is. */
function typed(word = '', name = '', { properties = {} }: JsonObject): Json {
  const type = typeOf(name, properties);
  const isNumber = type === 'number' || type === 'integer';
  if (isNumber && /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(word)) return Number(word);
  if (type === 'boolean' && /^(?:true|false)$/i.test(word)) return word.toLowerCase() === 'true';
  return word;
}

function typeOf(name: string, properties: Json): Json | undefined {
  if (!isJsonObject(properties) || !Object.hasOwn(properties, name)) return undefined;
  const member = properties[name];
  return isJsonObject(member) ? member['type'] : undefined;
}

function tooMany(count: number, names: readonly string[]): AgentError {
  return new AgentError('usage.bad-input', `${count} words are too many for ${names.join(', ')}.`, {
    hint: 'Put words that belong together in quotes, or give JSON.',
  });
}
