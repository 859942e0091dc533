import { optional } from '../collections.ts';
import type { Issue } from '../issue.ts';
import { isJsonObject, parseJson, type Json, type JsonObject } from '../json.ts';
import { isJsonSchema, retypeSchema } from '../json/schema.ts';
import { normaliseKey } from '../names.ts';
import type { Requirements, SkillCard } from '../skill.ts';
import { hidesText } from '../text.ts';
import type { Bundle } from './bundle.ts';
import type { Fields } from './fields.ts';

/** The longest description kept, in characters. */
export const longestDescription = 1024;

/**
 * The frontmatter fields that `readCard` and every family's name and description come from. Above each stands what it
 * means, which docs/reference/descriptors.md is made of.
 */
export const cardFields = [
  /** What the skill is called; without it, the title, the folder or the file gives the name. */
  'name',
  /** What it does and when to use it: people and models choose by it. At most 1,024 characters are kept. */
  'description',
  /** Text that is shown and searched together with the description. */
  'when-to-use',
  /** JSON Schema in YAML of what the skill takes, where its family does not say that itself. */
  'input',
  /** JSON Schema in YAML of the value that it comes to, where its family does not say that itself. */
  'output',
  /** Names of the arguments in their order, as a list or as words. */
  'arguments',
  /** Text for people that says what to type behind the name, such as `[from] [to]`. */
  'argument-hint',
  /** A list of words by which programs find the skill. */
  'tags',
  /** Globs of files: models are offered the skill once such a file was read or changed. */
  'paths',
  /** A map of your own; under its key `skilled` stands what the skill needs. */
  'metadata',
  /** `true`: no model chooses the skill; people and code can call it. */
  'disable-model-invocation',
  /** `false`: the skill is not offered to people. */
  'user-invocable',
  /** The licence it is under, for people. */
  'license',
  /** Where it works and what it was made for, for people. */
  'compatibility',
];

/** The card fields that every family reads the same way; the description is the family's own business. */
export function readCard(fields: Fields, description: string, bundle: Bundle, issues: Issue[]): SkillCard {
  const metadata = metadataOf(fields);
  const requires = requirementsOf(metadata, issues);
  const whenToUse = fields.text('when-to-use')?.trim();
  const hiding = hidesText(description)
    ? 'description'
    : hidesText(whenToUse ?? '')
      ? 'when-to-use'
      : undefined;
  if (hiding !== undefined) {
    const line = bundle.head.lineOf(hiding);
    issues.push({
      level: 'warning',
      code: 'description.hidden',
      message: `The ${hiding} holds characters that cannot be seen; models are shown it without them.`,
      ...(line === undefined ? {} : { line }),
    });
  }
  return {
    description,
    ...optional('whenToUse', whenToUse === '' ? undefined : whenToUse),
    ...optional('input', schemaIn(fields, 'input', bundle, issues)),
    ...optional('output', schemaIn(fields, 'output', bundle, issues)),
    ...optional('argumentNames', fields.list('arguments')),
    ...optional('argumentHint', hintOf(fields)),
    ...optional('tags', fields.list('tags')),
    ...optional('paths', fields.list('paths')),
    ...optional('metadata', metadata),
    ...optional('license', textIn(fields, 'license')),
    ...optional('compatibility', textIn(fields, 'compatibility')),
    ...optional('requires', requires),
    ...(fields.flag('disable-model-invocation') === true ? { modelInvocable: false as const } : {}),
    ...(fields.flag('user-invocable') === false ? { userInvocable: false as const } : {}),
  };
}

function textIn(fields: Fields, key: string): string | undefined {
  const text = fields.text(key)?.trim();
  return text === '' ? undefined : text;
}

/** A description cut to the longest allowed, with a finding when something was lost. */
export function fitDescription(text: string, issues: Issue[], line?: number): string {
  const letters = text.length > longestDescription ? Array.from(text) : [];
  if (letters.length <= longestDescription) return text;
  issues.push({
    level: 'warning',
    code: 'description.long',
    message: `The description has ${letters.length} characters; ${longestDescription} are kept.`,
    ...(line === undefined ? {} : { line }),
    hint: 'Shorten it and move the rest into the body.',
    standard: true,
  });
  return letters.slice(0, longestDescription).join('');
}

function metadataOf(fields: Fields): JsonObject | undefined {
  const raw = fields.raw('metadata');
  if (typeof raw !== 'string' || !raw.trimStart().startsWith('{')) return fields.map('metadata');
  const parsed = parseJson(raw);
  return isJsonObject(parsed) ? parsed : fields.map('metadata'); // not JSON after all: reported like any other text
}

/** `argument-hint: [file]` is a YAML list to a parser and a hint to its author. */
function hintOf(fields: Fields): string | undefined {
  const raw = fields.raw('argument-hint');
  const isList = Array.isArray(raw) && raw.every((item) => typeof item === 'string');
  return isList ? `[${raw.join(', ')}]` : fields.text('argument-hint');
}

function schemaIn(fields: Fields, key: string, bundle: Bundle, issues: Issue[]): JsonObject | undefined {
  const written = fields.map(key);
  if (written === undefined) return undefined;
  const schema = retypeSchema(written);
  if (isJsonSchema(schema)) return schema;
  const line = bundle.head.lineOf(key);
  issues.push({
    level: 'warning',
    code: 'field.type',
    message: `"${key}" is not a JSON Schema; it was left out.`,
    ...(line === undefined ? {} : { line }),
    hint: 'Start it with "type: object".',
  });
  return undefined;
}

const namespaces = ['skilled', 'openclaw', 'clawdbot'];

/** What a skill needs, from the first namespace of its metadata that is there; undefined when it needs nothing. */
export function requirementsOf(
  metadata: JsonObject | undefined,
  issues: Issue[] = [],
): Requirements | undefined {
  const own = namespaces.map((name) => objectOf(member(metadata, name))).find((value) => value !== undefined);
  if (own === undefined) return undefined;
  const given = member(own, 'requires');
  const requires = objectOf(given);
  if (given !== undefined && given !== null && requires === undefined) complain('requires', 'a map', issues);
  const found = {
    ...listAs('os', own, issues),
    ...listAs('bins', requires, issues),
    ...listAs('anyBins', requires, issues),
    ...listAs('env', requires, issues),
    ...listAs('config', requires, issues),
    ...optional('always', isOn('always', own, issues) ? (true as const) : undefined),
    ...textAs('primaryEnv', own, issues),
    ...textAs('skillKey', own, issues),
  };
  return Object.keys(found).length === 0 ? undefined : found;
}

/** A member by its name, compared as keys are. */
function member(map: JsonObject | undefined, name: string): Json | undefined {
  if (map === undefined) return undefined;
  if (Object.hasOwn(map, name)) return map[name];
  const key = Object.keys(map).find((other) => normaliseKey(other) === normaliseKey(name));
  return key === undefined ? undefined : map[key];
}

function isOn(name: string, map: JsonObject, issues: Issue[]): boolean {
  const value = member(map, name);
  if (value === undefined || value === null) return false;
  const word = typeof value === 'object' ? '' : String(value).trim();
  if (/^(?:true|yes|on|1)$/i.test(word)) return true;
  if (!/^(?:false|no|off|0)$/i.test(word)) complain(name, 'true or false', issues);
  return false;
}

/** An object, or the object that a JSON string holds. */
function objectOf(value: Json | undefined): JsonObject | undefined {
  if (isJsonObject(value)) return value;
  if (typeof value !== 'string' || !value.trimStart().startsWith('{')) return undefined;
  const parsed = parseJson(value); // text that only looks like JSON is plain metadata
  return isJsonObject(parsed) ? parsed : undefined;
}

function listAs<Key extends string>(
  key: Key,
  map: JsonObject | undefined,
  issues: Issue[],
): { readonly [K in Key]?: readonly string[] } {
  const value = member(map, key) ?? [];
  const items: readonly Json[] = Array.isArray(value)
    ? value
    : typeof value === 'string'
      ? value.split(',')
      : [value];
  if (items.some((item) => typeof item !== 'string')) complain(key, 'a list of words', issues);
  const words = items.flatMap((item) => (typeof item === 'string' ? [item.trim()] : [])).filter(Boolean);
  return optional(key, words.length === 0 ? undefined : words);
}

function textAs<Key extends string>(
  key: Key,
  map: JsonObject,
  issues: Issue[],
): { readonly [K in Key]?: string } {
  const value = member(map, key) ?? '';
  if (typeof value !== 'string') complain(key, 'text', issues);
  const text = typeof value === 'string' ? value.trim() : '';
  return optional(key, text === '' ? undefined : text);
}

/** A requirement that cannot be read must not vanish without a word. */
function complain(key: string, expected: string, issues: Issue[]): void {
  const message = `"${key}" in the metadata should be ${expected}; what is not was left out.`;
  issues.push({ level: 'warning', code: 'field.type', message });
}
