import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import {
  AgentError,
  didYouMean,
  familyOf,
  isJsonObject,
  isTypoOf,
  parseJson,
  propertyOf,
  takesObject,
  typedValue,
  typedValues,
  typesOf,
  textArgument,
  type Json,
  type JsonObject,
  type Skill,
  type SkillCard,
} from '../../core/index.ts';
import type { CliCommand, GivenFlag, Invocation } from '../command.ts';
import { textFlag } from './flag-values.ts';
import { commonFlagNames } from './flags.ts';
import { readExactInput, readInput, type InputSources } from './read-input.ts';

/** Returns a skill's input from arguments, JSON, and flags that the command itself does not define. */
export async function givenInput(
  agent: RecursiveSkilledAgent,
  skill: Skill,
  args: readonly string[],
  { flags, own, given, options }: Invocation & Required<Pick<CliCommand, 'options'>>,
): Promise<Json | undefined> {
  const family = familyOf(agent.families, skill);
  const said = {
    args,
    given,
    json: textFlag(own, 'args-json'),
    known: [...commonFlagNames, ...Object.keys(options)],
    splitsArguments: family?.text?.render !== undefined,
    acceptsText: family?.input?.acceptsText === true,
  };
  return skillInput(skill, family?.input?.defaultArgument, said, flags);
}

/** The arguments and flags that form a skill's input. */
interface InputArguments extends InputFlags {
  readonly args: readonly string[];
  /** The complete input as JSON. */
  readonly json: string | undefined;
  /** Set if the skill splits its text into arguments. Several arguments are then kept separate. */
  readonly splitsArguments?: boolean;
  /** Set if the skill accepts arbitrary text. */
  readonly acceptsText?: boolean;
}

/**
 * Returns a skill's input from the arguments and flags after the skill's name. Returns undefined if there are
 * none and the skill has no input schema.
 */
export async function skillInput(
  skill: Skill,
  defaultArgument: string | undefined,
  input: InputArguments,
  sources: InputSources,
): Promise<Json | undefined> {
  const { args, given, json, splitsArguments = false, acceptsText = false } = input;
  if (json !== undefined) return wholeJson(input, await readInput([json], sources));
  const read = splitsArguments ? readExactInput : readInput;
  const text = args.length === 0 ? undefined : await read(args, sources);
  const object = text !== undefined && args.length === 1 ? jsonObject(text.trim()) : undefined;
  const schema = skill.card.input;
  const flagged = await flaggedInput(skill, input, (value) => read([value], sources));
  if (object !== undefined) return joined(object, flagged);
  if (acceptsText && given.length === 0 && text !== undefined) return text;
  const said = splitsArguments && args.length > 1 ? argumentText(args) : text;
  const hasNames = splitsArguments && (skill.card.argumentNames ?? []).length > 0;
  // The skill itself splits the text into named arguments.
  if (hasNames && given.length === 0 && said !== undefined) return said;
  if (!(takesObject(schema) ?? given.length > 0)) {
    // Flags set properties, so they need an input that is an object.
    if (given.length > 0) throw noObject(skill);
    return said === undefined ? undefined : typedValue(`The input for "${skill.name}"`, said, schema);
  }
  if (text === undefined) return flagged;
  const key = argumentFor(skill, defaultArgument);
  return joined({ [key]: typedValue(`"${key}"`, text, propertyOf(schema, key)) }, flagged);
}

function joined(said: JsonObject, flagged: JsonObject): JsonObject {
  const twice = Object.keys(said).find((key) => Object.hasOwn(flagged, key));
  if (twice === undefined) return { ...said, ...flagged };
  throw new AgentError('usage.bad-input', `"${twice}" is given twice: as text and as a flag.`, {
    hint: `Leave out the text or --${twice}.`,
  });
}

function wholeJson({ args, given }: InputArguments, text: string): Json {
  const value = parseJson(text);
  if (value === undefined) {
    throw new AgentError('usage.bad-input', '--args-json is not valid JSON.', {
      hint: 'Put the JSON in single quotes so that the shell does not change it.',
    });
  }
  if (args.length === 0 && given.length === 0) return value;
  throw new AgentError('usage.bad-input', '--args-json cannot be combined with other input.', {
    hint: 'Leave out the other arguments and flags.',
  });
}

function jsonObject(text: string): JsonObject | undefined {
  const value = text.startsWith('{') ? parseJson(text) : undefined;
  return isJsonObject(value) ? value : undefined;
}

function noObject(skill: Skill): AgentError {
  return new AgentError(
    'usage.bad-input',
    `The input for "${skill.name}" has no properties that flags can set.`,
    {
      hint: 'Pass it as plain text, or as JSON with --args-json.',
    },
  );
}

/** Returns the property that plain text sets. If there is none, throws an error that lists the properties. */
function argumentFor({ name, card }: Skill, defaultArgument: string | undefined): string {
  const found = textArgument(card.input, defaultArgument);
  if (found !== undefined) return found;
  const { properties } = card.input ?? {};
  const keys = isJsonObject(properties) ? Object.keys(properties) : [];
  throw new AgentError('usage.bad-input', `"${name}" does not accept plain text.`, {
    hint: `Use flags: ${keys.map((key) => `--${key} <value>`).join(' ')}`,
  });
}

/** The flags that form a skill's input, and the names of the command's own flags. */
interface InputFlags {
  readonly given: readonly GivenFlag[];
  /** The names of the command's own flags. */
  readonly known: readonly string[];
}

/** Returns an object with the values of the input flags, each converted to the type in the skill's schema. */
async function flaggedInput(
  skill: Skill,
  { given, known }: InputFlags,
  read: (value: string) => Promise<string>,
): Promise<JsonObject> {
  const properties = declaredBy(skill.card);
  const texts = new Map<string, string[]>();
  const values = new Map<string, Json>();
  for (const { name, value } of given) {
    const key = keyFor(name, properties) ?? unlisted(skill, name, known);
    const schema = properties.get(key);
    if (value === true) values.set(key, lone(name, key, schema));
    else {
      const before = texts.get(key) ?? [];
      texts.set(key, [...before, await read(value)]);
      values.set(key, typedValues(`--${name}`, texts.get(key) ?? [], schema));
    }
  }
  return Object.fromEntries(values);
}

/** Returns a skill's input properties, including the arguments that it declares by name only. */
function declaredBy({ input, argumentNames = [] }: SkillCard): ReadonlyMap<string, JsonObject> {
  const names = input?.['additionalProperties'] === false ? [] : argumentNames;
  return new Map([...names.map((name): [string, JsonObject] => [name, {}]), ...propertiesOf(input)]);
}

function propertiesOf(schema: JsonObject | undefined): ReadonlyMap<string, JsonObject> {
  const { properties } = schema ?? {};
  if (!isJsonObject(properties)) return new Map();
  return new Map(Object.entries(properties).map(([key, value]) => [key, isJsonObject(value) ? value : {}]));
}

/**
 * Returns the property that a flag sets. Names match regardless of case, hyphens and underscores. `--no-x`
 * sets `x`.
 */
function keyFor(name: string, properties: ReadonlyMap<string, JsonObject>): string | undefined {
  if (properties.has(name)) return name;
  const like = (flag: string): string | undefined =>
    [...properties.keys()].find((key) => plain(key) === plain(flag));
  return like(name) ?? (name.startsWith('no-') ? like(name.slice(3)) : undefined);
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '');
}

/**
 * Returns the input property for a flag that the skill does not describe: the flag's own name. Throws if the
 * flag looks like a misspelt flag of the command, or if the skill forbids additional properties.
 */
function unlisted(skill: Skill, name: string, known: readonly string[]): string {
  const schema = skill.card.input;
  const meant = known.flatMap((flag) => [flag, `no-${flag}`]).find((flag) => isTypoOf(name, flag));
  if (meant !== undefined)
    throw new AgentError('usage.unknown-flag', `Unknown flag --${name}.`, {
      hint: `Did you mean --${meant}? To pass "${name}" to "${skill.name}", use --args-json.`,
      details: { near: [meant] },
    });
  if (schema?.['additionalProperties'] !== false) return name;
  const keys = [...propertiesOf(schema).keys()];
  const near = didYouMean(name, [...keys, ...known])?.replace(/"(\S+)"/g, '--$1');
  throw new AgentError('usage.unknown-flag', `Unknown flag --${name}: "${skill.name}" has no such input.`, {
    hint: near ?? `Its input: ${keys.map((key) => `--${key}`).join(', ') || 'nothing'}.`,
  });
}

function lone(name: string, key: string, schema: JsonObject | undefined): boolean {
  const types = typesOf(schema);
  const isNegative = name.startsWith('no-') && plain(key) === plain(name.slice(3));
  if (types.length === 0 || types.includes('boolean')) return !isNegative;
  throw new AgentError('usage.bad-input', `--${name} has no value.`, {
    hint: `Use --${name} <${types.join(' or ')}>, or --${name}=<value> if the value starts with a dash.`,
  });
}

/**
 * Joins arguments into a single text that can be split into the same arguments later. Quotes arguments with
 * spaces or quotes. Pure.
 */
export function argumentText(args: readonly string[]): string {
  return args.map(quoted).join(' ');
}

/** Quotes an argument if necessary, preferably with quotation marks that require no backslashes. */
function quoted(arg: string): string {
  if (/^[^\s"'\\]+$/.test(arg)) return arg;
  if (!/["\\]/.test(arg)) return `"${arg}"`;
  return arg.includes("'") ? `"${arg.replace(/["\\]/g, '\\$&')}"` : `'${arg}'`;
}
