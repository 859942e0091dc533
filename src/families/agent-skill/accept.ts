import {
  AgentError,
  fitSchema,
  isJsonObject,
  parseJson,
  type Json,
  type JsonObject,
} from '../../core/index.ts';
import type { AgentSkillDefinition } from './parse.ts';
import { splitArguments } from './render/arguments.ts';

/**
 * Validates the input against the skill's schema. Arguments can also be passed as a string. Throws
 * `usage.bad-input`.
 */
export function accept({ name, argumentNames, input, fit }: AgentSkillDefinition, given: Json): unknown {
  const schema = input?.();
  if (schema === undefined) return given;
  const shaped = schema['type'] === 'object' ? asObject(given, schema, argumentNames ?? []) : given;
  return fit === undefined ? fitSchema({ skill: name }, schema, shaped) : fit(shaped);
}

/** Converts null, JSON text, or positional arguments to an object. Returns any other input unchanged. */
function asObject(given: Json, schema: JsonObject, names: readonly string[]): Json {
  if (given === null) return {};
  if (typeof given !== 'string') return given;
  const parsed = given.trimStart().startsWith('{') ? parseJson(given) : undefined;
  if (isJsonObject(parsed)) return parsed;
  const args = splitArguments(given);
  if (args.length === 0) return {};
  const [sole, ...others] = names.length > 0 ? names : requiredTexts(schema);
  if (sole === undefined) return given;
  if (others.length === 0) return { [sole]: typed(args.length === 1 ? args[0] : given, sole, schema) };
  // Several arguments can be assigned to properties only if names are declared.
  if (names.length === 0) return given;
  if (args.length > names.length) throw tooMany(args.length, names);
  const members = args.map((arg, index) => [names[index] ?? '', typed(arg, names[index], schema)] as const);
  return Object.fromEntries(members);
}

/** Returns the names of the required properties if all of them are strings, otherwise an empty list. */
function requiredTexts({ required = [], properties = {} }: JsonObject): readonly string[] {
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  const isText = (name: string): boolean => typeOf(name, properties) === 'string';
  return names.every(isText) ? names : [];
}

/** Converts an argument to a number or boolean if its schema requires that type. */
function typed(arg = '', name = '', { properties = {} }: JsonObject): Json {
  const type = typeOf(name, properties);
  const isNumber = type === 'number' || type === 'integer';
  if (isNumber && /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(arg)) return Number(arg);
  if (type === 'boolean' && /^(?:true|false)$/i.test(arg)) return arg.toLowerCase() === 'true';
  return arg;
}

function typeOf(name: string, properties: Json): Json | undefined {
  if (!isJsonObject(properties) || !Object.hasOwn(properties, name)) return undefined;
  const member = properties[name];
  return isJsonObject(member) ? member['type'] : undefined;
}

function tooMany(count: number, names: readonly string[]): AgentError {
  return new AgentError(
    'usage.bad-input',
    `Got ${count} arguments, but the skill takes only ${names.join(', ')}.`,
    {
      hint: 'Put quotes around arguments with spaces, or pass JSON.',
    },
  );
}
