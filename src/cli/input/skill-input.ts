import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import {
  AgentError,
  didYouMean,
  familyOf,
  isJsonObject,
  parseJson,
  propertyOf,
  takesObject,
  typedValue,
  typedValues,
  typesOf,
  wordArgument,
  type Json,
  type JsonObject,
  type Skill,
} from '../../core/index.ts';
import type { CliCommand, GivenFlag, Invocation } from '../command.ts';
import { textFlag } from './flag-values.ts';
import { commonFlagNames } from './flags.ts';
import { readInput, type InputSources } from './read-input.ts';

/** The input that a command line gives to a skill: words, JSON, and the flags that are not the command's own. */
export async function givenInput(
  agent: RecursiveSkilledAgent,
  skill: Skill,
  words: readonly string[],
  { flags, own, given, options }: Invocation & Required<Pick<CliCommand, 'options'>>,
): Promise<Json | undefined> {
  const family = familyOf(agent.families, skill);
  const said = {
    words,
    given,
    json: textFlag(own, 'args-json'),
    known: [...commonFlagNames, ...Object.keys(options)],
    keepsWords: family?.text?.render !== undefined,
    readsWords: family?.input?.readsWords === true,
  };
  return skillInput(skill, family?.input?.defaultArgument, said, flags);
}

/** What a command line says that a skill is to be given. */
interface InputWords extends InputFlags {
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

/** Flags that are input, and the names that are none. */
interface InputFlags {
  readonly given: readonly GivenFlag[];
  /** The flags that the command itself has. */
  readonly known: readonly string[];
}

/** The flags that are input, as an object; each value takes the type that the skill's schema says. */
async function flaggedInput(
  skill: Skill,
  { given, known }: InputFlags,
  sources: InputSources,
): Promise<JsonObject> {
  const properties = propertiesOf(skill.card.input);
  const texts = new Map<string, string[]>();
  const values = new Map<string, Json>();
  for (const { name, value } of given) {
    const key = keyFor(name, properties) ?? unlisted(skill, name, known);
    const schema = properties.get(key);
    if (value === true) values.set(key, lone(name, key, schema));
    else {
      const before = texts.get(key) ?? [];
      texts.set(key, [...before, await readInput([value], sources)]);
      values.set(key, typedValues(`--${name}`, texts.get(key) ?? [], schema));
    }
  }
  return Object.fromEntries(values);
}

function propertiesOf(schema: JsonObject | undefined): ReadonlyMap<string, JsonObject> {
  const { properties } = schema ?? {};
  if (!isJsonObject(properties)) return new Map();
  return new Map(Object.entries(properties).map(([key, value]) => [key, isJsonObject(value) ? value : {}]));
}

/** The property that a flag means: spelled like it, or but for case, hyphens and underscores; `--no-x` means x. */
function keyFor(name: string, properties: ReadonlyMap<string, JsonObject>): string | undefined {
  if (properties.has(name)) return name;
  const like = (word: string): string | undefined =>
    [...properties.keys()].find((key) => plain(key) === plain(word));
  return like(name) ?? (name.startsWith('no-') ? like(name.slice(3)) : undefined);
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '');
}

/** A flag that the skill does not describe is input as it is, unless the skill takes nothing else. */
function unlisted(skill: Skill, name: string, known: readonly string[]): string {
  const schema = skill.card.input;
  if (schema?.['additionalProperties'] !== false) return name;
  const keys = [...propertiesOf(schema).keys()];
  const near = didYouMean(name, [...keys, ...known])?.replace(/"(\S+)"/g, '--$1');
  throw new AgentError(
    'usage.unknown-flag',
    `There is no flag --${name}, and "${skill.name}" takes no such input.`,
    {
      hint: near ?? `It takes ${keys.map((key) => `--${key}`).join(', ') || 'nothing'}.`,
    },
  );
}

function lone(name: string, key: string, schema: JsonObject | undefined): boolean {
  const types = typesOf(schema);
  const isNegative = name.startsWith('no-') && plain(key) === plain(name.slice(3));
  if (types.length === 0 || types.includes('boolean')) return !isNegative;
  throw new AgentError('usage.bad-input', `--${name} has no value.`, {
    hint: `Give it one: --${name} <${types.join(' or ')}>; write --${name}=<value> if it starts with a dash.`,
  });
}

/** Words as one text from which the same words can be read again: each that would fall apart stands in quotes. Pure. */
export function argumentText(words: readonly string[]): string {
  return words.map(quoted).join(' ');
}

/** In the quotes that need no backslash, where there are such. */
function quoted(word: string): string {
  if (/^[^\s"'\\]+$/.test(word)) return word;
  if (!/["\\]/.test(word)) return `"${word}"`;
  return word.includes("'") ? `"${word.replace(/["\\]/g, '\\$&')}"` : `'${word}'`;
}
