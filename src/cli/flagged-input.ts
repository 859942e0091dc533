import { AgentError } from '../core/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { didYouMean } from '../core/names.ts';
import type { Skill } from '../core/skill.ts';
import type { GivenFlag } from './command.ts';
import { readInput, type InputSources } from './input.ts';
import { typedValues, typesOf } from '../core/json/coerce.ts';

/** Flags that are input, and the names that are none. */
export interface InputFlags {
  readonly given: readonly GivenFlag[];
  /** The flags that the command itself has. */
  readonly known: readonly string[];
}

/** The flags that are input, as an object; each value takes the type that the skill's schema says. */
export async function flaggedInput(
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
