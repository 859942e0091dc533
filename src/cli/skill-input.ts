import { AgentError } from '../core/error.ts';
import { isJsonObject, parseJson, type Json, type JsonObject } from '../core/json.ts';
import type { Skill } from '../core/skill.ts';
import { argumentText } from './argument-text.ts';
import { flaggedInput, type InputFlags } from './flagged-input.ts';
import { readInput, type InputSources } from './input.ts';
import { typedValue, typesOf } from './typed-value.ts';

/** What a command line says that a skill is to be given. */
export interface InputWords extends InputFlags {
  readonly words: readonly string[];
  /** The whole input as JSON. */
  readonly json: string | undefined;
  /** Set for a skill that reads words out of a text: several of them stay the words that they are. */
  readonly keepsWords?: boolean;
}

/** The input of a skill from the words and flags behind its name; undefined when there are none and none is described. */
export async function skillInput(
  skill: Skill,
  defaultArgument: string | undefined,
  input: InputWords,
  sources: InputSources,
): Promise<Json | undefined> {
  const { words, given, json, keepsWords = false } = input;
  if (json !== undefined) return wholeJson(input, await readInput([json], sources));
  const text = words.length === 0 ? undefined : await readInput(words, sources);
  const object = text !== undefined && words.length === 1 ? jsonObject(text) : undefined;
  const schema = skill.card.input;
  const flagged = await flaggedInput(skill, input, sources);
  if (object !== undefined) return joined(object, flagged);
  const said = keepsWords && words.length > 1 ? argumentText(words) : text;
  const hasNames = keepsWords && (skill.card.argumentNames ?? []).length > 0;
  if (hasNames && given.length === 0 && said !== undefined) return said; // it knows itself which word is what
  if (!takesObject(schema, given.length > 0)) {
    if (given.length > 0) throw noObject(skill);
    return said === undefined ? undefined : typedValue(`The input of "${skill.name}"`, said, schema);
  }
  if (text === undefined) return flagged;
  const key = argumentFor(skill, defaultArgument);
  return joined({ [key]: typedValue(`"${key}"`, text, propertyOf(schema, key)) }, flagged);
}

function joined(said: JsonObject, flagged: JsonObject): JsonObject {
  const twice = Object.keys(said).find((key) => Object.hasOwn(flagged, key));
  if (twice === undefined) return { ...said, ...flagged };
  throw new AgentError('usage.bad-input', `"${twice}" is given twice: in words and as a flag.`, {
    hint: `Leave out the words, or --${twice}.`,
  });
}

function wholeJson({ words, given }: InputWords, text: string): Json {
  const value = parseJson(text);
  if (value === undefined) {
    throw new AgentError('usage.bad-input', '--args-json is not JSON.', {
      hint: 'Put it in single quotes, so that the shell leaves it as it is.',
    });
  }
  if (words.length === 0 && given.length === 0) return value;
  throw new AgentError('usage.bad-input', '--args-json is the whole input, and there is more of it.', {
    hint: 'Leave out the other words and flags.',
  });
}

function jsonObject(text: string): JsonObject | undefined {
  const value = text.startsWith('{') ? parseJson(text) : undefined;
  return isJsonObject(value) ? value : undefined;
}

/** A skill that does not say what it takes gets an object as soon as there are flags. */
function takesObject(schema: JsonObject | undefined, hasFlags: boolean): boolean {
  const types = typesOf(schema);
  return types.length === 0 ? hasFlags || isJsonObject(schema?.['properties']) : types.includes('object');
}

function noObject(skill: Skill): AgentError {
  return new AgentError(
    'usage.bad-input',
    `The input of "${skill.name}" has no parts that flags could name.`,
    {
      hint: 'Give it as plain words, or as JSON with --args-json.',
    },
  );
}

/** Where plain words go: the family's default argument, else the only text that must be given. */
function argumentFor(skill: Skill, defaultArgument = 'input'): string {
  const schema = skill.card.input;
  if (!isJsonObject(schema?.['properties']) || propertyOf(schema, defaultArgument) !== undefined)
    return defaultArgument;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const texts = required
    .filter((key) => typeof key === 'string')
    .filter((key) => typesOf(propertyOf(schema, key)).includes('string'));
  if (texts[0] !== undefined && texts.length === 1) return texts[0];
  const keys = Object.keys(schema['properties']);
  throw new AgentError('usage.bad-input', `"${skill.name}" does not say what plain words would be.`, {
    hint: `Name what you give: ${keys.map((key) => `--${key} <value>`).join(' ')}`,
  });
}

function propertyOf(schema: JsonObject | undefined, key: string): JsonObject | undefined {
  const { properties } = schema ?? {};
  const found = isJsonObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
  return isJsonObject(found) ? found : undefined;
}
