import { AgentError } from '../core/error.ts';
import { isJsonObject, parseJson, type Json, type JsonObject } from '../core/json.ts';
import { propertyOf, takesObject, typedValue, wordArgument } from '../core/json/coerce.ts';
import type { Skill } from '../core/skill.ts';
import { argumentText } from './argument-text.ts';
import { flaggedInput, type InputFlags } from './flagged-input.ts';
import { readInput, type InputSources } from './input.ts';

/** What a command line says that a skill is to be given. */
export interface InputWords extends InputFlags {
  readonly words: readonly string[];
  /** The whole input as JSON. */
  readonly json: string | undefined;
  /** Set for a skill that reads words out of a text: several of them stay the words that they are. */
  readonly keepsWords?: boolean;
  /** Set for a skill that makes something of any text by itself. */
  readonly readsWords?: boolean;
}

/** The input of a skill from the words and flags behind its name; undefined when there are none and none is described. */
export async function skillInput(
  skill: Skill,
  defaultArgument: string | undefined,
  input: InputWords,
  sources: InputSources,
): Promise<Json | undefined> {
  const { words, given, json, keepsWords = false, readsWords = false } = input;
  if (json !== undefined) return wholeJson(input, await readInput([json], sources));
  const text = words.length === 0 ? undefined : await readInput(words, sources);
  const object = text !== undefined && words.length === 1 ? jsonObject(text) : undefined;
  const schema = skill.card.input;
  const flagged = await flaggedInput(skill, input, sources);
  if (object !== undefined) return joined(object, flagged);
  if (readsWords && given.length === 0 && text !== undefined) return text;
  const said = keepsWords && words.length > 1 ? argumentText(words) : text;
  const hasNames = keepsWords && (skill.card.argumentNames ?? []).length > 0;
  if (hasNames && given.length === 0 && said !== undefined) return said; // it knows itself which word is what
  if (!(takesObject(schema) ?? given.length > 0)) {
    // one that does not say what it takes gets an object as soon as there are flags
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

function noObject(skill: Skill): AgentError {
  return new AgentError(
    'usage.bad-input',
    `The input of "${skill.name}" has no parts that flags could name.`,
    {
      hint: 'Give it as plain words, or as JSON with --args-json.',
    },
  );
}

/** The member that plain words are, or a failure that names all of them. */
function argumentFor({ name, card }: Skill, defaultArgument: string | undefined): string {
  const found = wordArgument(card.input, defaultArgument);
  if (found !== undefined) return found;
  const { properties } = card.input ?? {};
  const keys = isJsonObject(properties) ? Object.keys(properties) : [];
  throw new AgentError('usage.bad-input', `"${name}" does not say what plain words would be.`, {
    hint: `Name what you give: ${keys.map((key) => `--${key} <value>`).join(' ')}`,
  });
}
