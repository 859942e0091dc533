import { optional } from '../collections.ts';
import type { Issue } from '../issue.ts';
import { isJsonObject, parseJson, type Json, type JsonObject } from '../json.ts';
import { isJsonSchema, retypeSchema } from '../json/schema.ts';
import { normaliseKey } from '../names.ts';
import type { OtherProgram } from '../other-programs.ts';
import type { Requirements, SkillCard } from '../skill.ts';
import { hidesText } from '../text.ts';
import type { Bundle } from './bundle.ts';
import type { Fields } from './fields.ts';

/** The maximum length of a description, in characters. */
export const longestDescription = 1024;

/**
 * The frontmatter fields that `readCard` reads. Every family reads the name and description from these
 * fields. docs/reference/descriptors.md is generated from the comments below.
 */
export const cardFields = [
  /** The skill's name. Default: its title, or the name of its folder or file. */
  'name',
  /**
   * What the skill does and when to use it. People and models choose a skill by its description. A
   * description of more than 1,024 characters is shortened to the sentences that fit.
   */
  'description',
  /** Text that is shown and searched together with the description. */
  'when-to-use',
  /** The JSON Schema of the input, in YAML, unless the family defines the input itself. */
  'input',
  /** The JSON Schema of the result, in YAML, unless the family defines the result itself. */
  'output',
  /** The names of the arguments in order, as a YAML list or separated by spaces or commas. */
  'arguments',
  /** A hint that shows people what to type after the name, such as `[from] [to]`. */
  'argument-hint',
  /** A list of tags for finding the skill. */
  'tags',
  /** File globs. The skill is offered to models once a matching file has been read or changed. */
  'paths',
  /** A map for your own data. Its key `skilled` contains the skill's requirements and `pinned`. */
  'metadata',
  /** If `true`, models cannot choose the skill. People, code, and skills that list it can still call it. */
  'disable-model-invocation',
  /** If `false`, the skill is not offered to people. */
  'user-invocable',
  /** The licence of the skill, for information only. */
  'license',
  /** The environments and products that the skill was written for, for information only. */
  'compatibility',
];

/** Reads the card fields that all families share. Each family chooses its own source for the description. */
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
      message: `The ${hiding} contains invisible characters; models see it without them.`,
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
    ...(isPinned(metadata, issues) ? { pinned: true as const } : {}),
    ...(fields.flag('disable-model-invocation') === true ? { modelInvocable: false as const } : {}),
    ...(fields.flag('user-invocable') === false ? { userInvocable: false as const } : {}),
  };
}

function textIn(fields: Fields, key: string): string | undefined {
  const text = fields.text(key)?.trim();
  return text === '' ? undefined : text;
}

/**
 * Shortens a description to the maximum length: removes its examples, and then the sentences that do not fit.
 * Adds an issue if any text is removed.
 */
export function fitDescription(text: string, issues: Issue[], line?: number): string {
  const characters = text.length > longestDescription ? Array.from(text) : [];
  if (characters.length <= longestDescription) return text;
  const short = shortened(text);
  issues.push({
    level: 'warning',
    code: 'description.long',
    message: `The description has ${characters.length} characters; only ${Array.from(short).length} are kept.`,
    ...(line === undefined ? {} : { line }),
    hint: 'Shorten the description, and move the rest into the body.',
    standard: true,
  });
  return short;
}

const sentenceEnd = /[.!?…]["')\]”’]*(?=\s+(?!\p{Ll})|$)|[。！？]/gu;
const minLength = longestDescription / 4;

function shortened(text: string): string {
  const before = beforeExamples(text);
  const first = Array.from(before.length < minLength ? text : before);
  if (first.length <= longestDescription) return first.join('');
  const part = first.slice(0, longestDescription).join('');
  // If there is no end of a sentence, cut after a word. If there are no spaces either, cut anywhere.
  const ends = [...part.matchAll(sentenceEnd)].map((found) => found.index + found[0].length);
  const end = [ends.at(-1) ?? 0, part.search(/\s+\S*$/)].find((at) => at >= minLength);
  return part.slice(0, end);
}

/** Returns the text before the first example, without a label such as `Examples:`. Takes linear time. */
function beforeExamples(text: string): string {
  const at = text.search(/<example>/i);
  if (at < 0) return text;
  const before = text.slice(0, at).trimEnd();
  const label = /\b\p{L}+:$/u.exec(before.slice(-longestLabel))?.[0] ?? '';
  return before.slice(0, before.length - label.length).trimEnd();
}

const longestLabel = 100;

function metadataOf(fields: Fields): JsonObject | undefined {
  const raw = fields.raw('metadata');
  if (typeof raw !== 'string' || !raw.trimStart().startsWith('{')) return fields.map('metadata');
  const parsed = parseJson(raw);
  // Text that is not a JSON object is reported like any other invalid value.
  return isJsonObject(parsed) ? parsed : fields.map('metadata');
}

/** Reads the argument hint. YAML parses `argument-hint: [file]` as a list, although text was intended. */
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
    message: `"${key}" is not a JSON Schema; it was ignored.`,
    ...(line === undefined ? {} : { line }),
    hint: 'Start the schema with "type: object".',
  });
  return undefined;
}

/** The metadata keys that can contain requirements, each with the other programs that use the key. */
export const requirementKeys: Readonly<Record<string, readonly OtherProgram[]>> = {
  skilled: [],
  openclaw: ['OpenClaw'],
  clawdbot: ['OpenClaw'],
};

/**
 * Reads a skill's requirements from its metadata. If several namespaces are present, uses the first. Returns
 * undefined if there are none.
 */
export function requirementsOf(
  metadata: JsonObject | undefined,
  issues: Issue[] = [],
): Requirements | undefined {
  const own = Object.keys(requirementKeys)
    .map((name) => objectOf(member(metadata, name)))
    .find((value) => value !== undefined);
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

/** Whether `metadata.skilled.pinned` is set. No other namespace can pin a skill. */
export function isPinned(metadata: JsonObject | undefined, issues: Issue[] = []): boolean {
  const own = objectOf(member(metadata, 'skilled'));
  return own !== undefined && isOn('pinned', own, issues);
}

/** Finds a property by name. If no name matches exactly, normalised names are compared. */
function member(map: JsonObject | undefined, name: string): Json | undefined {
  if (map === undefined) return undefined;
  if (Object.hasOwn(map, name)) return map[name];
  const key = Object.keys(map).find((other) => normaliseKey(other) === normaliseKey(name));
  return key === undefined ? undefined : map[key];
}

function isOn(name: string, map: JsonObject, issues: Issue[]): boolean {
  const value = member(map, name);
  if (value === undefined || value === null) return false;
  const text = typeof value === 'object' ? '' : String(value).trim();
  if (/^(?:true|yes|on|1)$/i.test(text)) return true;
  if (!/^(?:false|no|off|0)$/i.test(text)) complain(name, 'true or false', issues);
  return false;
}

/** Returns the value as an object, parsing it if it is a JSON string. */
function objectOf(value: Json | undefined): JsonObject | undefined {
  if (isJsonObject(value)) return value;
  if (typeof value !== 'string' || !value.trimStart().startsWith('{')) return undefined;
  const parsed = parseJson(value); // A string that is not a JSON object is treated as plain metadata.
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
  if (items.some((item) => typeof item !== 'string')) complain(key, 'a list of strings', issues);
  const texts = items.flatMap((item) => (typeof item === 'string' ? [item.trim()] : [])).filter(Boolean);
  return optional(key, texts.length === 0 ? undefined : texts);
}

function textAs<Key extends string>(
  key: Key,
  map: JsonObject,
  issues: Issue[],
): { readonly [K in Key]?: string } {
  const value = member(map, key) ?? '';
  if (typeof value !== 'string') complain(key, 'a string', issues);
  const text = typeof value === 'string' ? value.trim() : '';
  return optional(key, text === '' ? undefined : text);
}

/** Reports a requirement that cannot be read, so that it is not silently ignored. */
function complain(key: string, expected: string, issues: Issue[]): void {
  const message = `"${key}" in the metadata should be ${expected}; other values were ignored.`;
  issues.push({ level: 'warning', code: 'field.type', message });
}
